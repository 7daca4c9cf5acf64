# A.count: a default is always 0 or empty
@0xc1a2b3d4e5f60718;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { count @0 :UInt32 = 7; }
