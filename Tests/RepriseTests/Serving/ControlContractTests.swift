import NIOCore
import NIOEmbedded
import Preservation
import RepriseControl
import TestSupport
import Testing
import Varlink
import VarlinkServing

@testable import Reprise

/// Properties of the interface that its definition and the generated code do not ensure.
@Suite struct ControlContractTests {
    private let definition: InterfaceDefinition
    private let dispatcher: ControlRequestDispatcher
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
        definition = try ControlInterface.definition()
        dispatcher = try ControlRequestDispatcher(
            ControlImplementation(
                program: .reprised, startTime: 0, applications: ApplicationList(applications: []),
                stateDirectory: ApplicationStateDirectory(path: scratch.file("state")),
                daemonState: DaemonState(Configuration(applications: [])),
                reloadRequests: ReloadRequestQueue(),
                feed: EventFeed(eventLoop: NIOAsyncTestingEventLoop(), now: { 0 }),
                metrics: DaemonMetrics(
                    registry: MetricsRegistry(), version: "", startTime: 0, methods: []),
                clock: ContinuousClock(),
                drawings: SharedDrawings(
                    clock: ContinuousClock(),
                    executor: EventLoopTaskExecutor(NIOAsyncTestingEventLoop()))))
    }

    private func methods(_ isIncluded: (MethodTraits) -> Bool) -> [String] {
        definition.methods.indices.filter { dispatcher.traits(of: $0).map(isIncluded) == true }
            .map { definition.methods[$0].name }.sorted()
    }

    @Test func `every method of the interface definition is served`() {
        #expect(methods { _ in true } == definition.methods.map(\.name).sorted())
    }

    @Test func `observers can call only the methods that change nothing`() {
        #expect(
            methods(\.isReadOnly) == [
                "Attach", "Clients", "Cluster", "ClusterHistory", "Commands", "Describe", "Diff",
                "Explain", "Get", "History", "List", "Metrics", "Monitor", "Quarantine", "Report",
                "Show",
                "Status", "Tree",
            ])
    }

    @Test func `six methods can send several replies`() {
        #expect(
            methods(\.isStreaming) == ["Attach", "Backup", "Describe", "Get", "Monitor", "Show"])
    }

    @Test func `P14: only operations on objects of a scene are queued`() throws {
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://e.org/"),
            interfaces: [dispatcher], logger: .quiet)
        let queued = try definition.methods.map(\.name).filter { method in
            let call = try Call(
                parsing: Array(#"{"method":"org.reprise.Control.\#(method)"}"#.utf8))
            return service.queue(of: call) != nil
        }
        #expect(
            queued.sorted() == [
                "Back", "Delete", "Dismiss", "Edit", "EditText", "Forward", "Load", "Move",
                "ReplaceText", "Scroll", "Select", "Tap", "Type", "UndoDelete", "Zoom",
            ])
    }

    /// Returns an error of the interface whose string fields contain their names, such as `the reason`.
    private func sample(_ error: ErrorDefinition) throws -> ControlError {
        let fields = error.parameters.map { field in
            let value =
                switch field.type {
                case .int, .nullable(.int): "-7"
                case .string, .nullable(.string): "\"the \(field.name)\""
                default: "[\"the \(field.name)\"]"
                }
            return "\"\(field.name)\":\(value)"
        }
        return try #require(
            ControlError(
                VarlinkError(
                    name: "\(definition.name).\(error.name)",
                    parameters: Array("{\(fields.sorted().joined(separator: ","))}".utf8))))
    }

    @Test func `every error is sent with its name and all its fields`() throws {
        for error in definition.errors {
            let value = try sample(error)
            let sent = value.varlinkError
            #expect(sent.name == "\(definition.name).\(error.name)")
            #expect(
                try JSONText.read([String: StateJSON].self, from: sent.parameters).keys.sorted()
                    == error.parameters.map(\.name).sorted())
            #expect(ControlError(sent) == value)
        }
    }

    @Test func `an error description names the affected objects on one line`() throws {
        // If an operation failed in part, each failure has a line.
        for error in definition.errors where !error.name.hasSuffix("InPart") {
            let sentence = try sample(error).description
            #expect(!sentence.contains("\n"))
            for field in error.parameters where [.string, .nullable(.string)].contains(field.type) {
                // An error that names a host needs no reason.
                if error.name == "OwnedElsewhere", field.name == "reason" { continue }
                // The text can have any length, and it is for the client.
                if error.name == "TextChanged", field.name == "text" { continue }
                #expect(sentence.contains("the \(field.name)"))
            }
        }
        #expect(
            ControlError.ownedElsewhere(application: "A", reason: "it is paused").description
                == "A runs on no host of the cluster: it is paused.")
    }
}
