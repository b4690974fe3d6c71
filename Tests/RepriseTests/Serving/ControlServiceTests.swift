import Dispatch
import LinuxIO
import Logging
import NIOEmbedded
import Preservation
import RepriseControl
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing
import Varlink
import VarlinkServing

@testable import Reprise

/// Control socket of a program that is not a daemon.
@Suite struct ControlServiceTests {
    private let scratch: ScratchDirectory
    private let directory: ApplicationStateDirectory
    private let program = ProgramDescription(name: "jobs", version: "7")

    init() throws {
        scratch = try ScratchDirectory()
        directory = try ApplicationStateDirectory(path: scratch.file("state"))
    }

    private var socket: String { scratch.file("control") }

    private func application(_ name: String = "org.example.Jobs") throws -> Application {
        try Application(
            bundleIdentifier: name, bundleVersion: "1",
            stateDirectory: directory, logger: .quiet
        ) { try $0.add(Worker(), as: "worker") }
    }

    /// Runs a program with its control socket.
    private func run(
        _ application: Application, _ body: (VarlinkClient) async throws -> Void
    ) async throws {
        let control = try ControlService(
            [application], of: program, socket: socket, logger: .quiet)
        let services = ServiceGroup(services: [application, control], logger: .quiet)
        async let running: Void = services.run()
        try await application.waitUntilReady()
        var client: VarlinkClient?
        try await waitUntil("it listens") {
            client = try? VarlinkClient(path: socket, timeout: .seconds(300))
            return client != nil
        }
        let connected = try #require(client)
        try await withTaskExecutorPreference(ThreadExecutor()) { try await body(connected) }
        await services.triggerGracefulShutdown()
        try await running
    }

    @Test func `a program responds under its own name, and its objects execute commands`()
        async throws
    {
        try await run(application()) { client async throws in
            let status = try client.call(StatusCall())
            #expect(status.program == "jobs")
            #expect(status.version == "7")
            #expect(status.applications.map(\.bundleIdentifier) == ["org.example.Jobs"])
            let call = CallCall.with {
                $0.path = "worker"
                $0.command = "add"
                $0.arguments = ["count": .integer(3)]
            }
            #expect(try client.call(call).result == .integer(3))
            let reply = try client.call(call)
            #expect(reply.result == .integer(6))
            #expect(reply.saved == .written)
            #expect(throws: VarlinkError.methodNotImplemented(ReloadCall.qualifiedMethod)) {
                try client.call(ReloadCall())
            }
            #expect(throws: VarlinkError.invalidParameter("scale")) {
                try client.call(ZoomCall.with { ($0.path, $0.scale) = ("worker", 0) })
            }
        }
        // The change is restored.
        try await run(application()) { client async throws in
            let values = try client.call(GetCall.with { $0.path = "worker" }).values
            #expect(values?["count"] == .integer(6))
        }
    }

    @Test
    func `R13: a program that is told to stop does not wait for objects that are still restoring`()
        async throws
    {
        let names = ["org.example.First", "org.example.Second"]
        for name in names { try await run(application(name)) { _ async throws in } }
        // Applications in one state directory launch one after another, so the second launch waits for the first.
        let hasBegun = AwaitableState(false)
        let applications = try names.map { name in
            try Application(
                bundleIdentifier: name, bundleVersion: "1", stateDirectory: directory,
                logger: .quiet
            ) {
                try $0.add(
                    SlowWorker {
                        hasBegun.change { $0 = true }
                        // The worker finishes only when its scene is closed.
                        await hasBegun.wait { !$0 }
                        try Task.checkCancellation()
                    }, as: "worker", aliases: ["Worker"])
            }
        }
        let control = try ControlService(
            applications, of: program, socket: socket, logger: .quiet)
        let waiting = applications.map { LaunchWaiter(application: $0, hasBegun: hasBegun) }
        let services = ServiceGroup(
            services: applications + waiting + [control], logger: .quiet)
        async let running: Void = services.run()
        await hasBegun.wait { $0 }
        await services.triggerGracefulShutdown()
        try await running
        // A command that arrived before the launch of the second application is refused immediately. A later command
        // may have been carried out during the stop.
        for (name, waiting) in zip(names, waiting) {
            let refusals: [ApplicationError] = [
                .ending(application: name), .notRunning(application: name),
            ]
            #expect((refusals.map(\.description) + ["carried out"]).contains(waiting.answer.state))
        }
    }

    @Test func `a report lists 10000 objects that were found and counts the rest`() async throws {
        let application = {
            try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: directory, logger: .quiet
            ) { objects in
                for number in 0..<10_002 {
                    try objects.add(Worker(), as: ObjectKey("worker\(number)"))
                }
            }
        }
        try await run(application()) { _ async throws in }
        try await run(application()) { client async throws in
            let report = try client.call(ReportCall.with { $0.all = true })
            #expect(report.restored == 10_002)
            #expect(report.found.count == 10_000)
            #expect(report.unlisted == 2)
        }
    }

    @Test func `a socket directory that cannot be created is an error`() async throws {
        let application = try application()
        let control = try ControlService(
            [application], of: program, socket: scratch.file("file/below/control"), logger: .quiet)
        try scratch.write("file", "")
        let services = ServiceGroup(services: [application, control], logger: .quiet)
        await #expect(throws: IOError.self) { try await services.run() }
    }

    @Test func `an application has only one control socket, and a service needs an application`()
        async throws
    {
        let application = try application()
        #expect(throws: ControlServiceError.self) {
            try ControlService([], of: program, socket: socket, logger: .quiet)
        }
        try await run(application) { _ async throws in
            let second = try ControlService(
                [application], of: program, socket: scratch.file("second"), logger: .quiet)
            await #expect(throws: ControlServiceError.self) { try await second.run() }
        }
    }

    @Test func `all applications are followed while the service runs, and no longer`() async throws
    {
        let applications = try ["org.example.First", "org.example.Second"].map {
            try self.application($0)
        }
        let program = ServiceGroup(services: applications, logger: .quiet)
        async let running: Void = program.run()
        for application in applications { try await application.waitUntilReady() }
        let control = ServiceGroup(
            services: [
                try ControlService(
                    applications, of: self.program, socket: socket, logger: .quiet)
            ], logger: .quiet)
        async let serving: Void = control.run()
        try await waitUntil("it listens") {
            (try? VarlinkClient(path: socket, timeout: .seconds(300))) != nil
        }
        let feed = EventFeed(eventLoop: NIOAsyncTestingEventLoop(), now: { 0 })
        for application in applications {
            let isFollowed = await !application.follow(by: feed)
            #expect(isFollowed)
        }
        await control.triggerGracefulShutdown()
        try await serving
        for application in applications {
            let isFollowed = await !application.follow(by: feed)
            #expect(!isFollowed)
        }
        await program.triggerGracefulShutdown()
        try await running
    }

    @Test func `a file that another program creates at the socket's path is an error`() async throws
    {
        let application = try application()
        let control = try ControlService(
            [application], of: program, socket: socket, logger: .quiet)
        try scratch.write("control", "")
        let services = ServiceGroup(services: [application, control], logger: .quiet)
        await #expect(throws: ListenError.notASocket(path: socket)) { try await services.run() }
    }

    @Test func `a socket is created again each time that another program removes it`() async throws
    {
        try await run(application()) { _ async throws in
            for _ in 1...2 {
                try scratch.remove("control")
                // The service accepts connections only after it has examined the new file.
                try await waitUntil("the socket is created again") {
                    (try? VarlinkClient(path: socket, timeout: .seconds(300))) != nil
                }
            }
        }
    }

    @Test func `the socket is created only after every application has launched`() async throws {
        let names = ["org.example.First", "org.example.Second"]
        try await run(application(names[1])) { _ async throws in }
        let first = try application(names[0])
        let (hasBegun, mayFinish) = (AwaitableState(false), AwaitableState(false))
        let second = try Application(
            bundleIdentifier: names[1], bundleVersion: "1", stateDirectory: directory,
            logger: .quiet
        ) {
            try $0.add(
                SlowWorker {
                    hasBegun.change { $0 = true }
                    await mayFinish.wait { $0 }
                }, as: "worker", aliases: ["Worker"])
        }
        let running = Task { try await first.run() }
        try await first.waitUntilReady()
        let control = try ControlService(
            [first, second], of: program, socket: scratch.file("late"), logger: .quiet)
        let services = ServiceGroup(services: [second, control], logger: .quiet)
        async let serving: Void = services.run()
        await hasBegun.wait { $0 }
        for _ in 0..<10_000 { await Task.yield() }
        #expect(scratch.status("late") == nil)
        mayFinish.change { $0 = true }
        try await waitUntil("it listens") { scratch.status("late") != nil }
        await services.triggerGracefulShutdown()
        try await serving
        running.cancel()
        try await running.value
    }
}

/// Task executor with a thread that tasks may block.
///
/// A call of a client blocks its thread. If calls of several tests blocked all threads of the global pool, no thread
/// would remain for the services that they call.
final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "own thread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Service that waits for the launch of its application.
private struct LaunchWaiter: Service {
    let application: Application
    let hasBegun: AwaitableState<Bool>
    let answer = AwaitableState("")

    func run() async throws {
        await hasBegun.wait { $0 }
        do {
            try await application.perform { _ in }
            answer.change { $0 = "carried out" }
        } catch {
            answer.change { $0 = "\(error)" }
        }
        try await gracefulShutdown()
    }
}

private final class SlowWorker: StateRestoring, AsyncStateRestoring {
    let restoration = RestorationNode()
    private let finish: @Sendable () async throws -> Void

    init(_ finish: @escaping @Sendable () async throws -> Void) {
        self.finish = finish
    }

    func finishRestoring(in scene: Scene) async throws { try await finish() }
}

private final class Worker: StateRestoring, CommandProviding {
    let restoration = RestorationNode()
    @Restorable("count") var count = 0

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$count) }

    var commands: [ProvidedCommand] {
        [
            ProvidedCommand(
                "add", summary: "Adds.", CommandParameter("count", summary: "How many.", Int.self)
            ) { count in
                self.count += count
                return self.count
            }
        ]
    }
}
