# A.place: a group needs a .Plain.cxx type
@0xc1a2b3d4e5f60717;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { place :group { x @0 :UInt8; } }
