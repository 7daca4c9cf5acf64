# A.size: .Plain.sparse is for structs
@0xc1a2b3d4e5f60719;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { size @0 :UInt8 $Plain.sparse; }
