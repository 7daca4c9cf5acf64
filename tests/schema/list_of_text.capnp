# A.names: wrap the Text in a struct
@0xc1a2b3d4e5f60713;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { names @0 :List(Text) $Plain.atMost(3); }
