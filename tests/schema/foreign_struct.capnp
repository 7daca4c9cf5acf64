# A.node: Node is not at the top of a file with a .Plain.namespace
@0xc1a2b3d4e5f60719;
using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::refused::wire");
$Plain.namespace("dunlin::refused");

using Schema = import "/capnp/schema.capnp";
struct A { node @0 :Schema.Node; }
