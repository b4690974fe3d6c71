/// The parameters of the methods in `org.varlink.certification`, and their replies.
enum Messages {
    struct Start: Codable, Sendable {
        var client_id: String
    }

    struct Boolean: Codable, Sendable, Equatable {
        var client_id: String?
        var bool: Bool
    }

    struct Number: Codable, Sendable, Equatable {
        var client_id: String?
        var int: Int
    }

    struct Fraction: Codable, Sendable, Equatable {
        var client_id: String?
        var float: Double
    }

    struct Text: Codable, Sendable, Equatable {
        var client_id: String?
        var string: String
    }

    /// One value of each scalar type, as parameters and as a structure.
    struct Scalars: Codable, Sendable, Equatable {
        var client_id: String?
        var bool = false
        var int = 2
        var float = Double.pi
        var string = "a lot of string"
    }

    struct Structure: Codable, Sendable, Equatable {
        var client_id: String?
        var `struct` = Scalars()
    }

    struct Mapping: Codable, Sendable, Equatable {
        var client_id: String?
        var map = ["foo": "Foo", "bar": "Bar"]
    }

    /// A set, encoded as a mapping to empty structures.
    struct Names: Codable, Sendable, Equatable {
        struct Nothing: Codable, Sendable, Equatable {}

        var client_id: String?
        var set: [String: Nothing] = ["one": Nothing(), "two": Nothing(), "three": Nothing()]
    }

    struct Everything: Codable, Sendable, Equatable {
        var client_id: String?
        var mytype = MyType()
    }

    struct MyType: Codable, Sendable, Equatable {
        enum Word: String, Codable, Sendable {
            case one, two, three
        }

        struct Object: Codable, Sendable, Equatable {
            var method = "org.varlink.certification.Test09"
            var parameters = Mapping()
        }

        struct Pair: Codable, Sendable, Equatable {
            var first = 1
            var second = "2"
        }

        struct Interface: Codable, Sendable, Equatable {
            enum Word: String, Codable, Sendable {
                case foo, bar, baz
            }

            struct Flags: Codable, Sendable, Equatable {
                var foo = true
                var bar = false
            }

            var foo: [[String: Word]?]? = [
                nil, ["foo": .foo, "bar": .bar], nil, ["one": .foo, "two": .bar],
            ]
            var anon = Flags()
        }

        var object = Object()
        var `enum` = Word.two
        var `struct` = Pair()
        var array = ["one", "two", "three"]
        var dictionary = ["foo": "Foo", "bar": "Bar"]
        var stringset = Names().set
        var nullable: String?
        var nullable_array_struct: [Pair]?
        var interface = Interface()
    }

    struct LastReplies: Codable, Sendable, Equatable {
        var client_id: String?
        var last_more_replies = (1...10).map { "Reply number \($0)" }
    }

    struct End: Codable, Sendable, Equatable {
        var all_ok: Bool
    }
}
