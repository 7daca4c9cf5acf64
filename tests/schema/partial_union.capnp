# A: a union must be all of its struct
@0xc1a2b3d4e5f60716;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

struct B {}
struct A { a @0 :UInt32; union { b @1 :B; c @2 :B; } }
