/// Valid and invalid input that a client may send to a Varlink server.
///
/// `$I` represents an interface of the server, and `$M` a method of the interface without parameters.
enum PeerServerCases {
    /// Input with its name. If `isOpen` is set, the client makes another call afterwards.
    struct Case {
        let name: String
        let bytes: [UInt8]
        /// Whether the client continues to send. Otherwise, it shuts down its side of the connection.
        var isOpen = true

        init(_ name: String, _ text: String, isOpen: Bool = true) {
            self.init(name, bytes: Array(text.utf8), isOpen: isOpen)
        }

        init(_ name: String, bytes: [UInt8], isOpen: Bool = true) {
            self.name = name
            self.bytes = bytes
            self.isOpen = isOpen
        }
    }

    private static let info = #"{"method":"org.varlink.service.GetInfo"}"#

    private static func info(_ rest: String) -> String {
        #"{"method":"org.varlink.service.GetInfo",\#(rest)}"# + "\0"
    }

    private static func description(_ parameters: String) -> String {
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":\#(parameters)}"#
            + "\0"
    }

    private static func method(_ json: String) -> String { #"{"method":\#(json)}"# + "\0" }

    /// Division into messages.
    private static let framing = [
        Case("one call", info + "\0"),
        Case("two calls at once", info + "\0" + info + "\0"),
        Case("a call surrounded by white space", " \n\t" + info + "\r\n \0"),
        Case("a call, then EOF", info + "\0", isOpen: false),
        Case("half a call, then EOF", String(info.prefix(20)), isOpen: false),
        Case("a call without NUL, then EOF", info, isOpen: false),
        Case("nothing, then EOF", "", isOpen: false),
        Case("an empty message", "\0"),
        Case("a call and an empty message", info + "\0\0"),
        Case("only white space", "  \0"),
        Case("two objects in one message", info + info + "\0"),
        Case(
            "a call of 50,000 bytes",
            description(#"{"interface":"\#(String(repeating: "x", count: 50_000))"}"#)),
    ]

    /// Messages that are not JSON objects, or unusual JSON.
    private static let forms = [
        Case("text that is not JSON", "hello\0"),
        Case("an array", "[]\0"),
        Case("a string", "\"GetInfo\"\0"),
        Case("a number", "1\0"),
        Case("null", "null\0"),
        Case("true", "true\0"),
        Case("an unterminated object", String(info.dropLast()) + "\0"),
        Case("an extra comma", info(#""oneway":false,"#)),
        Case("single quotes", info.replacing("\"", with: "'") + "\0"),
        Case("a comment", "/* " + info + " */\0"),
        Case(
            "a byte order mark", bytes: [0xEF, 0xBB, 0xBF] + Array(info.utf8) + [0]),
        Case(
            "invalid UTF-8",
            bytes: Array(#"{"method":"org.varlink.service.GetInfo"#.utf8) + [0xFF]
                + Array("\"}\0".utf8)),
        Case("an escaped letter", method(#""\u006frg.varlink.service.GetInfo""#)),
        Case("an unpaired surrogate", description(#"{"interface":"\ud800"}"#)),
        Case("an escaped NUL", description(#"{"interface":"a\u0000b"}"#)),
        Case("a control character", description("{\"interface\":\"a\tb\"}")),
        Case("an out-of-range number", description(#"{"interface":1e999}"#)),
        Case("a number with a leading zero", description(#"{"interface":01}"#)),
        Case(
            "1,000 nested arrays",
            description(
                #"{"interface":\#(String(repeating: "[", count: 1000))"#
                    + String(repeating: "]", count: 1000) + "}")),
    ]

    /// Keys of a call.
    private static let keys = [
        Case("no method", "{}\0"),
        Case("a number as the method", method("1")),
        Case("null as the method", method("null")),
        Case("an unknown key", info(#""extra":1"#)),
        Case("the method twice", info(#""method":"org.varlink.service.GetInfo""#)),
        Case("null parameters", info(#""parameters":null"#)),
        Case("empty parameters", info(#""parameters":{}"#)),
        Case("an array instead of the parameter object", info(#""parameters":[]"#)),
        Case("a string instead of the parameter object", info(#""parameters":"{}""#)),
        Case("oneway", info(#""oneway":true"#)),
        Case("oneway: false", info(#""oneway":false"#)),
        Case("oneway: null", info(#""oneway":null"#)),
        Case("oneway: 1", info(#""oneway":1"#)),
        Case("more, for a method with a single reply", info(#""more":true"#)),
        Case("more: \"yes\"", info(#""more":"yes""#)),
        Case("oneway and more", info(#""oneway":true,"more":true"#)),
        Case("upgrade", info(#""upgrade":true"#)),
        Case("oneway, for a nonexistent method", oneway("$I.Nothing")),
    ]

    private static func oneway(_ method: String) -> String {
        #"{"method":"\#(method)","oneway":true}"# + "\0"
    }

    /// Methods and their parameters.
    private static let methods = [
        Case("a method of the server's own interface", method("\"$I.$M\"")),
        Case("an unknown method of the interface", method("\"$I.Nothing\"")),
        Case("a nonexistent interface", method("\"org.example.Nothing.Do\"")),
        Case(
            "an unknown method of org.varlink.service",
            method("\"org.varlink.service.Nothing\"")),
        Case("a method name without an interface", method("\"GetInfo\"")),
        Case("an empty method name", method("\"\"")),
        Case("a method name with a trailing dot", method("\"$I.\"")),
        Case("a method name in the wrong case", method("\"org.varlink.service.getinfo\"")),
        Case("an unknown parameter", info(#""parameters":{"extra":1}"#)),
        Case("a missing parameter", description("{}")),
        Case("a null parameter", description(#"{"interface":null}"#)),
        Case("a parameter of the wrong type", description(#"{"interface":7}"#)),
        Case(
            "an extra parameter",
            description(#"{"interface":"org.varlink.service","extra":1}"#)),
        Case("the description of the server's own interface", description(#"{"interface":"$I"}"#)),
        Case(
            "the description of a nonexistent interface",
            description(#"{"interface":"org.example.Nothing"}"#)),
    ]

    /// All cases, grouped by subject.
    static let all = framing + forms + keys + methods
}
