# A.children: A contains itself
@0xc1a2b3d4e5f60715;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct A { children @0 :List(A) $Plain.atMost(3) $Plain.heap; }
