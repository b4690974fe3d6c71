import Logging
import TestSupport
import Testing

@testable import Varlink

struct ServiceTests {
    private static let definition = """
        interface org.example.Echo
        method Echo(text: string) -> (text: string)
        method Number(other: ?int, value: int) -> (value: int)
        method Later() -> ()
        method Odd() -> ()
        method Fails() -> ()
        error Refused (reason: string)
        error InternalError (message: string)
        """

    private struct Text: Codable, Sendable { let text: String }
    private struct Small: Codable, Sendable {
        let other: Int?
        let value: UInt8
    }
    private struct Failure: Error {}

    private func answer(_ message: String) async throws -> String {
        var echo = InterfaceImplementation(try InterfaceDefinition(parsing: Self.definition))
        try echo.on("Echo") { (text: Text, _) in text }
        try echo.on("Number") { (number: Small, _) in number }
        try echo.on("Odd") { (_: Empty, _) in 1 }
        try echo.on("Fails") { (_: Empty, _) -> Empty in throw Failure() }
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://e.org/"),
            interfaces: [echo], logger: .quiet)
        let call = try Call(parsing: Array(message.utf8))
        let outcome = await service.answer(call, from: Peer(pid: 1, uid: 2, gid: 3), access: .all)
        return String(decoding: ReplyMessage(outcome).message.dropLast(), as: UTF8.self)
    }

    @Test(
        arguments: [
            (
                #"{"method":"org.varlink.service.GetInfo"}"#,
                #"{"parameters":{"interfaces":["org.example.Echo","org.varlink.service"],"product":"P","url":"https://e.org/","vendor":"V","version":"1"}}"#
            ),
            (
                #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#,
                #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"a.b"}}"#
            ),
            (
                #"{"method":"org.varlink.service.GetInterfaceDescription"}"#,
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"interface"}}"#
            ),
            (
                #"{"method":"org.varlink.service.GetInfo","parameters":{"x":1}}"#,
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"x"}}"#
            ),
            (
                #"{"method":"org.varlink.service.Nothing"}"#,
                #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"org.varlink.service.Nothing"}}"#
            ),
            (
                #"{"method":"org.example.None.Echo"}"#,
                #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"org.example.None"}}"#
            ),
            (
                #"{"method":"Echo"}"#,
                #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"Echo"}}"#
            ),
            (
                #"{"method":""}"#,
                #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":""}}"#
            ),
            (
                #"{"method":"org.example.Echo.Later"}"#,
                #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"org.example.Echo.Later"}}"#
            ),
            (
                #"{"method":"org.example.Echo.Echo","upgrade":true,"parameters":{"text":""}}"#,
                #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"org.example.Echo.Echo"}}"#
            ),
            (
                #"{"method":"org.example.Echo.Echo","parameters":{"text":"\u0077örld /🌍"}}"#,
                #"{"parameters":{"text":"wörld /🌍"}}"#
            ),
            (
                #"{"method":"org.example.Echo.Number","parameters":{"value":255.0}}"#,
                #"{"parameters":{"value":255}}"#
            ),
            (
                #"{"method":"org.example.Echo.Number","parameters":{"other":-1,"value":256}}"#,
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"value"}}"#
            ),
            (
                #"{"method":"org.example.Echo.Odd"}"#,
                #"{"error":"org.example.Echo.InternalError","parameters":{"message":"an internal error, which is logged"}}"#
            ),
            (
                #"{"method":"org.example.Echo.Fails"}"#,
                #"{"error":"org.example.Echo.InternalError","parameters":{"message":"an internal error, which is logged"}}"#
            ),
        ])
    func `a call gets its answer`(call: String, reply: String) async throws {
        #expect(try await answer(call) == reply)
    }

    @Test func `an interface's description is the text that was parsed`() async throws {
        struct Description: Decodable { let description: String }
        let message = try await answer(
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.example.Echo"}}"#
        )
        guard case .parameters(let json) = try ReplyMessage(parsing: Array(message.utf8)).outcome
        else {
            Issue.record("refused: \(message)")
            return
        }
        #expect(try JSONText.decode(Description.self, from: json).description == Self.definition)
    }

    @Test func `what a function throws is logged once a minute, and not sent`() async throws {
        struct Secret: Error { let path = "/etc/secret\n\u{202E}" }
        let log = LogRecorder()
        var other = InterfaceImplementation(
            try InterfaceDefinition(
                parsing: "interface org.example.Other\nmethod A() -> ()\nmethod B() -> ()"))
        for method in ["A", "B"] {
            try other.on(method) { (_: Empty, _) -> Empty in throw Secret() }
        }
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""), interfaces: [other],
            logger: log.logger())
        for method in ["A", "A", "A", "B"] {
            let call = try Call(parsing: Array(#"{"method":"org.example.Other.\#(method)"}"#.utf8))
            let outcome = await service.answer(
                call, from: Peer(pid: 1, uid: 2, gid: 3), access: .all)
            #expect(
                outcome
                    == .error(
                        VarlinkError(
                            name: "io.systemd.System",
                            parameters: Array(
                                #"{"errno":5,"errnoName":"EIO","origin":"linux"}"#.utf8))))
        }
        #expect(
            log.entries.map { $0.metadata["method"] } == [
                "org.example.Other.A", "org.example.Other.B",
            ])
        let told = try #require(log.entries.first?.metadata["error"])
        #expect(told.contains("/etc/secret"))
        #expect(!told.contains("\n") && !told.contains("\u{202E}"))
    }

    @Test func `an interface may be given only once`() throws {
        let standard = try InterfaceDefinition(parsing: InterfaceDefinition.serviceText)
        #expect(
            throws: InterfaceImplementation.RegistrationError.repeatedInterface(
                name: "org.varlink.service")
        ) {
            try VarlinkService(
                info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
                interfaces: [InterfaceImplementation(standard)], logger: Logger(label: "test"))
        }
    }

    @Test func `a method is registered once, and only if the definition has it`() throws {
        var echo = InterfaceImplementation(try InterfaceDefinition(parsing: Self.definition))
        try echo.on("Later") { (_: Empty, _) in Empty() }
        #expect(throws: InterfaceImplementation.RegistrationError.repeated(method: "Later")) {
            try echo.on("Later") { (_: Empty, _) in Empty() }
        }
        #expect(throws: InterfaceImplementation.RegistrationError.undefined(method: "Never")) {
            try echo.on("Never") { (_: Empty, _) in Empty() }
        }
    }
}
