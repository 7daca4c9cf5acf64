@0xb3c6a1f0d2e84711;
# Annotations from which tools/capnpc-plain makes plain C++ structs of a schema.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("dunlin::plain");

annotation namespace @0xc1f7a3d2b4e59601 (file) :Text;
# The C++ namespace of the plain structs.

annotation include @0xd5b9c27e3f814a02 (file) :Text;
# A header, or several separated by spaces, that declares the strong types named by `cxx`.

annotation cxx @0xe9d1f48a6b7c3503 (field, group) :Text;
# A strong type. Converted by overloads: Wire to_wire(T) and bool from_wire(Wire, T&), where Wire is
# the scalar; for a group, to_wire(const T&, Builder) and from_wire(Reader, T&). from_wire may
# refuse.

annotation member @0x9c3f5a7e21d86b08 (group) :Text;
# The name of the plain member, where that of the group would clash with its struct's.

annotation atMost @0xf2a8e5c19d4b6704 (field) :UInt32;
# The bound of a list (elements) or of Text and Data (bytes). A longer one fails to decode; to
# encode # one is a bug. Obligatory. A list becomes InlineVector<T, n>, unless `heap`.

annotation heap @0x8b4e6f2a7c1d9005 (field) :Void;
# A list that becomes a std::vector<T>, still bounded by `atMost`.

annotation sparse @0xa7d3190c5be4f209 (field) :Void;
# A struct that is left out where all of it is 0 or empty, which takes fewer bytes and reads the
# same.

# The words that users have for a field: a field with a `key` is a term. From them come the struct's
# Terms (see overlay/field_info.h), constants of its bounds, and a walk over the terms. The comment
# of the field is its help.

annotation key @0xb1f04c7d9e2a5806 (field) :Text;
# Its name in the JSON of the control protocol.

annotation toml @0xc48e1b6037fd920a (field) :Text;
# Its key in a job file, and the word that Python takes; without: the same as `key`.

annotation flag @0xd2a95f38c06e710b (field) :Text;
# On the command line: "-t,--time-limit".

annotation value @0xe67b20d41f9c830c (field) :Text;
# The word for its value in help: "TIME".

annotation unit @0xf803a6c75d1be90d (field) :Text;
# Of the number: ns, mib, kib_per_second or milli_cpu. People write others: "1h30m", "4G".

annotation min @0x92d7c15e08b4fa0e (field) :Int64;
annotation max @0xa36e48f1b27d050f (field) :Int64;
annotation initial @0xbc19e70a54f38d10 (field) :Int64;
# The bounds of what users may say, and the value of what they leave out; without: 0, as large as
# the type, 0.

annotation was @0xcd5a3b92e6107f11 (field) :Text;
# Names of it that are read, and no longer written; with spaces between them.
