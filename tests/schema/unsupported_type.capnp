# A.anything: this type has no plain form
@0xc1a2b3d4e5f60714;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { anything @0 :AnyPointer; }
