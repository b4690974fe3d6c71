import Logging
import Synchronization
import TestSupport
import Testing

@testable import Varlink

struct VarlinkServiceTests {
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

    @Test(
        arguments: [
            (
                #"Put","parameters":{"queue":"a"}"#, #"Take","parameters":{"queue":"a","other":1}"#,
                true
            ),
            (
                #"Put","parameters":{"queue":"a"}"#, #"Take","parameters":{"other":1,"queue":"a"}"#,
                true
            ),
            (
                #"Elsewhere","parameters":{"queue":"a","scene":"b"}"#,
                #"Elsewhere","parameters":{"scene":"b","queue":"a"}"#, true
            ),
            (
                #"Elsewhere","parameters":{"queue":"a","scene":"b"}"#,
                #"Elsewhere","parameters":{"queue":"a","scene":"c"}"#, false
            ),
            (#"Put","more":true"#, #"Put","more":true"#, false),
            (#"Put""#, #"Put","parameters":{}"#, true),
            (#"Put","parameters":{"queue":"a"}"#, #"Put","parameters":{"queue":"b"}"#, false),
            (#"Put","parameters":{"queue":"a"}"#, #"Put""#, false),
            // The strings look the same, but have different bytes.
            (
                #"Put","parameters":{"queue":"\u00e9"}"#, #"Put","parameters":{"queue":"e\u0301"}"#,
                false
            ),
            (#"Put","parameters":{"queue":1}"#, #"Put","parameters":{"queue":1}"#, false),
            (#"Put""#, #"Elsewhere""#, false),
            (#"Alone""#, #"Alone""#, false),
            (#"Put""#, #"Alone""#, false),
            (#"None""#, #"None""#, false),
        ])
    func `calls run together only if they specify the same queue`(
        first: String, second: String, expected: Bool
    ) throws {
        let service = try queueService()
        let calls = try [first, second].map {
            try Call(parsing: Array(#"{"method":"org.example.Queue.\#($0)}"#.utf8))
        }
        let queues = calls.map(service.queue)
        #expect((queues[0] != nil && queues[0] == queues[1]) == expected)
    }

    /// Creates a service with methods that have queues.
    private func queueService() throws -> VarlinkService {
        let definition = """
            interface org.example.Queue
            method Put(queue: ?string) -> ()
            method Take(queue: ?string, other: ?int) -> ()
            method Elsewhere(queue: ?string, scene: ?string) -> ()
            method Alone() -> ()
            """
        var queue = InterfaceImplementation(try InterfaceDefinition(parsing: definition))
        try queue.on("Put", queue: ["queue"]) { (_: [String: String], _) in Empty() }
        try queue.on("Take", queue: ["queue"]) { (_: [String: String], _) in Empty() }
        try queue.on("Elsewhere", queue: ["queue", "scene"]) { (_: [String: String], _) in Empty() }
        try queue.on("Alone") { (_: Empty, _) in Empty() }
        return try VarlinkService(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://e.org/"),
            interfaces: [queue], logger: .quiet)
    }

    /// The arguments are the size of the parameters in bytes, and whether such calls run together.
    @Test(arguments: [(65_536, true), (65_537, false)])
    func `calls with parameters of more than 64 KiB do not run together`(
        size: Int, expected: Bool
    ) throws {
        let text = String(repeating: "x", count: size - #"{"queue":""}"#.utf8.count)
        let call = try Call(
            parsing: Array(
                #"{"method":"org.example.Queue.Put","parameters":{"queue":"\#(text)"}}"#.utf8))
        #expect(call.parameters.count == size)
        let queue = try queueService().queue(of: call)
        #expect((queue != nil) == expected)
    }

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
                #"{"method":"org.example.Echo.Nothing"}"#,
                #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"org.example.Echo.Nothing"}}"#
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
                #"{"error":"org.example.Echo.InternalError","parameters":{"message":"an internal error occurred"}}"#
            ),
            (
                #"{"method":"org.example.Echo.Fails"}"#,
                #"{"error":"org.example.Echo.InternalError","parameters":{"message":"an internal error occurred"}}"#
            ),
        ])
    func `a call gets the expected reply`(call: String, reply: String) async throws {
        #expect(try await answer(call) == reply)
    }

    @Test func `GetInterfaceDescription returns the parsed text unchanged`() async throws {
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

    @Test func `an error that a handler throws is logged once a minute and never sent`()
        async throws
    {
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
        let loggedError = try #require(log.entries.first?.metadata["error"])
        #expect(loggedError.contains("/etc/secret"))
        #expect(!loggedError.contains("\n") && !loggedError.contains("\u{202E}"))
    }

    @Test func `every interface of a service is listed, and its methods can be called`()
        async throws
    {
        let interfaces = try ["First", "Second"].map { name in
            var interface = InterfaceImplementation(
                try InterfaceDefinition(
                    parsing: "interface org.example.\(name)\nmethod A() -> ()\nmethod B() -> ()"))
            for method in ["A", "B"] { try interface.on(method) { (_: Empty, _) in Empty() } }
            return interface
        }
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
            interfaces: interfaces, logger: .quiet)
        func answer(_ method: String) async throws -> String {
            let outcome = await service.answer(
                try Call(parsing: Array(#"{"method":"\#(method)"}"#.utf8)),
                from: Peer(pid: 1, uid: 2, gid: 3), access: .all)
            return String(decoding: ReplyMessage(outcome).message.dropLast(), as: UTF8.self)
        }
        #expect(
            try await answer("org.varlink.service.GetInfo").contains(
                #""interfaces":["org.example.First","org.example.Second","org.varlink.service"]"#))
        for method in ["First.A", "First.B", "Second.A", "Second.B"] {
            #expect(try await answer("org.example.\(method)") == #"{"parameters":{}}"#)
        }
    }

    @Test(arguments: [
        ("error InternalError (message: string)", true), ("error InternalError ()", false),
        ("error InternalError (reason: string)", false),
        ("error InternalError (message: int)", false),
        ("error InternalError (message: string, code: int)", false),
        ("error Other (message: string)", false),
        ("error Other ()\nerror InternalError (message: string)", true),
    ])
    func `an interface's InternalError is used only if it is declared with just a message`(
        declaration: String, isOwn: Bool
    ) async throws {
        var interface = InterfaceImplementation(
            try InterfaceDefinition(
                parsing: "interface org.example.Other\nmethod A() -> ()\n\(declaration)"))
        try interface.on("A") { (_: Empty, _) -> Empty in throw CancellationError() }
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
            interfaces: [interface], logger: .quiet)
        let outcome = await service.answer(
            try Call(parsing: Array(#"{"method":"org.example.Other.A"}"#.utf8)),
            from: Peer(pid: 1, uid: 2, gid: 3), access: .all)
        guard case .error(let error) = outcome else {
            Issue.record("no error")
            return
        }
        #expect(error.name == (isOwn ? "org.example.Other.InternalError" : "io.systemd.System"))
    }

    @Test
    func `failures of a method are logged once a minute, with the number that was suppressed`() {
        struct Failure: Error {}
        let log = LogRecorder()
        let start = ContinuousClock.now
        let elapsed = Mutex(Duration.zero)
        let faults = UnexpectedErrorLog(log.logger(), now: { start + elapsed.withLock { $0 } })
        for seconds in [0, 1, 59, 60, 61, 200] {
            elapsed.withLock { $0 = .seconds(seconds) }
            faults.logFailure(Failure(), in: "a.b.C")
        }
        #expect(log.entries.map { $0.metadata["before"] } == [nil, "2", "1"])
        #expect(log.entries.allSatisfy { $0.metadata["method"] == "a.b.C" })
    }

    @Test(arguments: [true, false])
    func `a oneway call does not learn that its caller has disconnected`(oneway: Bool) async throws
    {
        let learned = Mutex<Bool?>(nil)
        var interface = InterfaceImplementation(
            try InterfaceDefinition(parsing: "interface org.example.Other\nmethod A() -> ()"))
        try interface.on("A") { (_: Empty, context) in
            learned.withLock { $0 = context.hasCallerDisconnected() }
            return Empty()
        }
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
            interfaces: [interface], logger: .quiet)
        _ = await service.answer(
            try Call(
                parsing: Array(#"{"method":"org.example.Other.A","oneway":\#(oneway)}"#.utf8)),
            from: Peer(pid: 1, uid: 2, gid: 3), access: .all, hasCallerDisconnected: { true })
        #expect(learned.withLock { $0 } == !oneway)
    }

    @Test func `the error for an invalid parameter identifies that parameter and no other`()
        async throws
    {
        struct Pair: Codable, Sendable { let x, y: Int }
        struct Parameters: Codable, Sendable {
            let pair: Pair
            let range: Range<Int>
            let value: UInt8
        }
        var interface = InterfaceImplementation(
            try InterfaceDefinition(
                parsing: """
                    interface org.example.Other
                    method A(pair: (x: int, y: int), range: []int, value: int) -> ()
                    """))
        try interface.on("A") { (_: Parameters, _) in Empty() }
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
            interfaces: [interface], logger: .quiet)
        func answer(_ value: Int) async throws -> ReplyMessage.Outcome {
            let parameters = #"{"pair":{"x":1,"y":2},"range":[1,2],"value":\#(value)}"#
            return await service.answer(
                try Call(
                    parsing: Array(
                        #"{"method":"org.example.Other.A","parameters":\#(parameters)}"#.utf8)),
                from: Peer(pid: 1, uid: 2, gid: 3), access: .all)
        }
        #expect(try await answer(255) == .parameters(Array("{}".utf8)))
        #expect(try await answer(256) == .error(.invalidParameter("value")))
    }

    @Test func `an interface can be registered only once`() throws {
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

    @Test func `a method can be registered only once, and only if it is declared`() throws {
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
