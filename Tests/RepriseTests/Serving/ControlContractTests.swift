import FoundationEssentials
import NIOCore
import NIOEmbedded
import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink
import VarlinkServing

@testable import Reprise

/// The definition `org.reprise.Control.varlink` is the contract. What the program declares says the same,
/// neither less nor more.
@Suite struct ControlContractTests {
    private let definition: InterfaceDefinition
    private let served: [any ControlCall.Type]
    private let implementation: InterfaceImplementation
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        definition = try ControlInterface.definition()
        let methods = try DaemonMethods(
            program: .reprised, started: 0, applications: ApplicationList(applications: []),
            stateDirectory: ApplicationStateDirectory(path: scratch.file("state")),
            condition: DaemonCondition(Configuration(applications: [])),
            reloads: ReloadRequests(),
            feed: EventFeed(eventLoop: NIOAsyncTestingEventLoop(), now: { 0 }),
            clients: ConnectionRegister(),
            metrics: DaemonMetrics(
                registry: MetricsRegistry(), version: "", started: 0, methods: []),
            clock: ContinuousClock(),
            executor: EventLoopTaskExecutor(NIOAsyncTestingEventLoop())
        ).all()
        served = methods.calls
        implementation = methods.implementation
    }

    @Test func `every method of the definition is served, and no other`() {
        #expect(served.map { $0.method }.sorted() == definition.methods.map(\.name).sorted())
    }

    @Test func `observers may call what changes nothing, and no more`() {
        #expect(
            served.filter { $0.isLooking }.map { $0.method }.sorted() == [
                "Attach", "Clients", "Cluster", "ClusterHistory", "Commands", "Diff", "Explain",
                "Get", "History", "List", "Metrics", "Monitor", "Quarantine", "Report", "Show",
                "Status", "Tree",
            ])
    }

    @Test func `P14: the operations on a scene share a queue, and no other method has one`() throws
    {
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://e.org/"),
            interfaces: [implementation], logger: .quiet)
        let methods = served.map { $0.method }
        let queued = try methods.filter { method in
            let call = try Call(
                parsing: Array(#"{"method":"org.reprise.Control.\#(method)"}"#.utf8))
            return service.runTogether(call, call)
        }
        #expect(
            queued.sorted() == [
                "Back", "Delete", "Dismiss", "Edit", "EditText", "Forward", "Load", "Move",
                "Scroll", "Select", "Tap", "Type", "Zoom",
            ])
    }

    @Test func `the parameters of every method are those of the definition`() throws {
        for call in served {
            let method = try #require(definition.method(named: call.method))
            try check(call, method.parameters, method.name)
        }
    }

    @Test
    func `every method but some of the daemon takes an application, and those of a scene a scene`()
        throws
    {
        for call in served {
            let fields = try #require(definition.method(named: call.method)).parameters
            let nullable = fields.filter { $0.type == .nullable(.string) }.map(\.name)
            // Events and backups are of all applications unless one is named.
            let isMonitor = call is MonitorCall.Type
            #expect(
                nullable.contains("application")
                    == (call is any ApplicationCall.Type || isMonitor || call is BackupCall.Type))
            #expect(nullable.contains("scene") == (call is any SceneCall.Type || isMonitor))
        }
        let others = served.filter { !($0 is any ApplicationCall.Type) }.map { $0.method }
        #expect(
            others.sorted() == [
                "Backup", "Clients", "Cluster", "ClusterPause", "ClusterResume", "ClusterTake",
                "Drain", "List", "Metrics", "Monitor", "Rekey", "Reload", "Status",
            ])
    }

    @Test func `the reply of every method is that of the definition`() throws {
        func check<Call: ControlCall>(_ call: Call.Type) throws {
            let method = try #require(definition.method(named: Call.method))
            try self.check(Call.Reply.self, method.reply, "reply of \(method.name)")
        }
        for call in served { try check(call) }
    }

    @Test func `a call in which nothing is stated carries what must be stated, and no more`() throws
    {
        for call in served {
            let method = try #require(definition.method(named: call.method))
            let required = method.parameters.filter { !$0.type.isNullable }.map(\.name)
            #expect(try Self.members(call.init()).keys.sorted() == required.sorted())
        }
    }

    @Test func `every error of the definition has its case, with the same fields`() throws {
        for error in definition.errors {
            let name = error.name.prefix(1).lowercased() + error.name.dropFirst()
            let (shape, value) = try WireShape.of(ControlError.self, case: name)
            #expect(
                shape.fields == WireShape(error.parameters, in: definition).fields,
                "\(error.name)")
            let sent = try value.varlinkError()
            #expect(sent.name == "\(definition.name).\(error.name)")
            #expect(
                try sent.parameters(as: [String: StateJSON].self).keys.sorted()
                    == error.parameters.map(\.name).sorted())
            #expect(ControlError(sent) == value)
        }
    }

    @Test func `an error's sentence names what it is about and ends like one`() throws {
        // Where something failed in part, each failure has a line.
        for error in definition.errors where !error.name.hasSuffix("InPart") {
            let name = error.name.prefix(1).lowercased() + error.name.dropFirst()
            let sentence = try WireShape.of(ControlError.self, case: name).1.description
            #expect(!sentence.contains("\n"))
            for field in error.parameters where [.string, .nullable(.string)].contains(field.type) {
                // With a host, no reason is necessary.
                if error.name == "OwnedElsewhere", field.name == "reason" { continue }
                #expect(sentence.contains("the \(field.name)"))
            }
        }
        #expect(
            ControlError.ownedElsewhere(application: "A", reason: "it is paused").description
                == "A runs on no host of the cluster: it is paused.")
    }

    /// Swift does not list the cases of an enumeration whose cases have fields: its source does.
    @Test func `every case of an error is defined`() throws {
        let source = try String(
            contentsOfFile: #filePath.replacing(
                "Tests/RepriseTests/Serving/ControlContractTests.swift",
                with: "Sources/RepriseControl/ControlError.swift"), encoding: .utf8)
        let cases = source.split(separator: "\n").filter { $0.hasPrefix("    case ") }
            .map { String($0.dropFirst("    case ".count).prefix(while: \.isLetter)) }
        #expect(
            cases.map { $0.prefix(1).uppercased() + $0.dropFirst() }.sorted()
                == definition.errors.map(\.name).sorted())
    }

    private func check<Message: Codable>(
        _ type: Message.Type, _ fields: [Field], _ name: String
    ) throws {
        let (shape, value) = try WireShape.of(type)
        let defined = WireShape(fields, in: definition)
        #expect(shape.fields == defined.fields, "\(name)")
        // What is sent has the same fields as what is received.
        let members = try Self.members(value)
        #expect(members.keys.sorted() == fields.map(\.name).sorted(), "\(name)")
        let sent = try VarlinkError(name: "", encoding: value)
        #expect(try Self.members(sent.parameters(as: type)) == members, "\(name)")
    }

    private static func members(_ value: some Encodable) throws -> [String: StateJSON] {
        try VarlinkError(name: "", encoding: value).parameters(as: [String: StateJSON].self)
    }
}
