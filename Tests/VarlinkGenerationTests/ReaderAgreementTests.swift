import TestSupport
import Testing

@testable import Varlink

/// Agreement between the generated readers and the check of a call against its definition. Both must accept the same
/// parameters, and report the same invalid parameter.
struct ReaderAgreementTests {
    private let definition: InterfaceDefinition

    init() throws { definition = try EverythingInterface.definition() }

    private static let messages = [
        #"{"b":true,"i":1,"f":-1.5e-3,"s":"é\u00e9","o":{"x":1},"r":{"start":1,"end":null}}"#,
        #"{"m":"slow","a":[1,null],"d":{"any key":"v","b":"w"},"n":{"x":""}}"#,
        #"{"t":{"children":[{"children":[]}]},"i":1e2,"f":1e308}"#, #"{"text":"","count":7}"#,
        #"{"i":-9223372036854775808,"a":[1.0,100e-2,9223372036854775807],"o":[1,{}]}"#,
        #"{"text":"x","text":"y","count":null}"#, #"{"\u0062":false,"m":"f\u0061st"}"#,
    ]

    private static let faults = [
        #"{"b":1}"#, #"{"b":"true"}"#, #"{"i":"1"}"#, #"{"i":1.5}"#, #"{"i":9223372036854775808}"#,
        #"{"i":1e400}"#, #"{"i":true}"#, #"{"f":"1"}"#, #"{"f":1e400}"#, #"{"f":1e-400}"#,
        #"{"s":1}"#, #"{"s":[]}"#, #"{"r":{}}"#, #"{"r":{"start":1,"else":1}}"#,
        #"{"r":{"start":1,"start":1}}"#, #"{"r":[1]}"#, #"{"m":"medium"}"#, #"{"m":1}"#,
        #"{"a":{}}"#, #"{"a":["1"]}"#, #"{"d":{"k":1}}"#, #"{"d":{"k":null}}"#,
        #"{"a":[1,"1"]}"#, #"{"b":true,"i":"1"}"#, #"{"t":{"children":[{}]}}"#, #"{"n":{}}"#,
        #"{"else":1}"#, #"{"b":true,"b":true}"#, #"{"B":true}"#, #"{"o":null}"#, "{}", "null",
        #"{"":1}"#, #"{"\n":1}"#,
    ]

    /// Checks that both methods accept or reject a method's parameters in the same way.
    private func check<Parameters: JSONMessage>(
        _ type: Parameters.Type, _ method: String, _ call: Call
    ) throws {
        let fields = try #require(definition.method(named: method)).parameters
        let expected = definition.invalidParameterName(in: call.parameterMembers, for: fields)
        var found: String?
        do {
            var reader = JSONReader(call.parameters)
            let written = try JSONText.write(try reader.readAll(type))
            let again = try JSONText.read(type, from: written)
            #expect(try JSONText.write(again) == written)
        } catch JSONReadingError.invalidParameter(let name) {
            found = name
        }
        #expect(
            found?.utf8.elementsEqual(expected?.utf8 ?? "".utf8) ?? (expected == nil),
            "\(String(decoding: call.parameters, as: UTF8.self)): \(found ?? "-") \(expected ?? "-")"
        )
    }

    private func check(_ parameters: [UInt8]) throws {
        let message = Array(#"{"method":"a.b.C","parameters":"#.utf8) + parameters + [0x7D]
        guard let call = try? Call(parsing: message) else { return }
        try check(MCall.self, "M", call)
        try check(NeedsCall.self, "Needs", call)
    }

    private typealias MCall = EverythingInterface.MCall
    private typealias NeedsCall = EverythingInterface.NeedsCall

    @Test(arguments: messages + faults)
    func `generated readers and the definition check agree on a message and its mutations`(
        text: String
    ) throws {
        try check(Array(text.utf8))
        var random = SeededNumbers(seed: UInt64(text.utf8.count))
        let pieces = [
            "null", "1e400", "-0", "\"x\":1,", "{", "}", "[", "]", "\\u0000", "true", "2.0",
        ]
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &random)
                case 1 where bytes.count > 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default:
                    let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                    bytes.insert(contentsOf: piece.utf8, at: index)
                }
            }
            try check(bytes)
        }
    }
}
