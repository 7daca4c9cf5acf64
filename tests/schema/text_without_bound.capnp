# A.name: a List, Text or Data needs a bound
@0xc1a2b3d4e5f60712;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { name @0 :Text; }
