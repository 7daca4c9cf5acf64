# A.count: .Plain.unit is ns, mib
@0xd1a2b3d4e5f60719;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { count @0 :UInt32 $Plain.key("count") $Plain.unit("kilo"); }
