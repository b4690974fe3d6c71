import Logging
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Objects whose restoration continues in async code.
@Suite(.timeLimit(.minutes(10))) struct AsyncRestorationTests {
    @Test
    func `R13: a launch and its commands wait until every object has finished its restoration`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let steps = AwaitableState(Step.before)
            let session = { @Sendable in
                Session {
                    steps.change { $0 = .begun }
                    await steps.wait { $0 == .released }
                }
            }
            try await run(in: scratch, session) { application async throws in
                await steps.wait { $0 == .begun }
                #expect(await application.status().phase == .launching)
                let command = Task.immediate {
                    try await application.perform(with: .session) { $0.resumed }.result
                }
                steps.change { $0 = .released }
                #expect(try await command.value == "resumed 7")
                #expect(try await application.report().restored == 1)
            }
        }
    }

    @Test
    func
        `R15: an object that fails to finish its restoration is reported and keeps its saved state`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let session = { @Sendable in Session { throw Unreachable() } }
            try await run(in: scratch, session) { application async throws in
                try await application.waitUntilLaunched()
                let report = try await application.report()
                #expect(report.restored == 0)
                #expect(report.unrestored.map(\.path) == ["session"])
                #expect(report.unrestored.map(\.code) == [.decodeFailed])
                #expect(
                    report.unrestored.map(\.detail) == [
                        "it could not finish its restoration: the host does not answer"
                    ])
            }
            try await run(in: scratch, { Session {} }) { application async throws in
                try await application.waitUntilReady()
                let number = try await application.perform(with: .session) { $0.number }.result
                #expect(number == 7)
            }
        }
    }

    @Test func `R13: a command that would wait for its own launch is refused with an explanation`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let holder = Holder()
            let session = { @Sendable in
                Session { try await holder.application?.perform(with: .session) { $0.number = 0 } }
            }
            try await run(in: scratch, session, holder) { application async throws in
                try await application.waitUntilLaunched()
                #expect(
                    try await application.report().unrestored.map(\.detail) == [
                        "it could not finish its restoration: "
                            + "\(ApplicationError.restoring(application: "org.example.Sessions"))"
                    ])
                let number = try await application.perform(with: .session) { $0.number }.result
                #expect(number == 7)
            }
        }
    }

    /// Operation that waits for launches.
    enum Operation: CaseIterable {
        case launch, preserve, rollBack, reset, resetToSaved, putBack, reload

        func run(on application: Application) async throws {
            switch self {
            case .launch: try await application.launch()
            case .preserve: _ = try await application.preserve()
            case .rollBack: try await application.rollBack(to: "1")
            case .reset: try await application.reset()
            case .resetToSaved: try await application.resetToSaved()
            case .putBack: try await application.putBack("000001-main.archive")
            case .reload: try await application.reload(application.definition)
            }
        }
    }

    @Test(arguments: Operation.allCases)
    func `R13: an operation that would wait for its own launch is refused with an explanation`(
        operation: Operation
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let holder = Holder()
            let session = { @Sendable in
                Session {
                    guard let application = holder.application else { return }
                    try await operation.run(on: application)
                }
            }
            try await run(in: scratch, session, holder) { application async throws in
                try await application.waitUntilLaunched()
                let report = try await application.report()
                #expect(!report.hasTimedOut)
                #expect(
                    report.unrestored.map(\.detail) == [
                        "it could not finish its restoration: "
                            + "\(ApplicationError.restoring(application: "org.example.Sessions"))"
                    ])
            }
        }
    }

    @Test
    func `R13: the launch continues after the timeout, and the saved state waits for the object`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let steps = AwaitableState(Step.before)
            let session = { @Sendable in
                Session {
                    steps.change { $0 = .begun }
                    await steps.wait { $0 == .released }
                } atBeginning: { scene in
                    scene[.session]?.number = 0
                } atEnd: { session in
                    session.number = 8
                }
            }
            let clock = TestClock()
            try await run(in: scratch, session, clock: clock) { application async throws in
                await steps.wait { $0 == .begun }
                await clock.waitForSleeper(for: .seconds(30))
                clock.advance(by: .seconds(30))
                try await application.waitUntilLaunched()
                #expect(try await application.report().hasTimedOut)
                // A full pass does not change the saved state, and another process restores it.
                _ = try await application.preserve()
                let copy = try ScratchDirectory(path: TestSupport.ScratchDirectory.make())
                try scratch.copy(to: copy)
                try await run(in: copy, { Session {} }) { other async throws in
                    try await other.waitUntilReady()
                    let number = try await other.perform(with: .session) { $0.number }.result
                    #expect(number == 7)
                }
                steps.change { $0 = .released }
                let look = { @Sendable in
                    try await application.perform(with: .session) { $0.resumed }.result
                }
                while try await look() == "" { await Task.yield() }
                _ = try await application.preserve()
            }
            try await run(in: scratch, { Session {} }) { application async throws in
                try await application.waitUntilReady()
                let number = try await application.perform(with: .session) { $0.number }.result
                #expect(number == 8)
            }
        }
    }

    @Test func `R13: an object that fails to finish its restoration after the timeout is logged`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let steps = AwaitableState(Step.before)
            let session = { @Sendable in
                Session {
                    steps.change { $0 = .begun }
                    await steps.wait { $0 == .released }
                    throw Unreachable()
                }
            }
            let (clock, log) = (TestClock(), LogRecorder())
            try await run(in: scratch, session, clock: clock, log: log) {
                application async throws in
                await steps.wait { $0 == .begun }
                await clock.waitForSleeper(for: .seconds(30))
                clock.advance(by: .seconds(30))
                try await application.waitUntilLaunched()
                steps.change { $0 = .released }
                await log.wait { entries in
                    entries.contains {
                        $0.message.contains("session could not finish its restoration")
                    }
                }
            }
        }
    }

    @Test
    func `S4: an object finishes its restoration on the application's actor, even after an await`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let holder = Holder()
            let session = { @Sendable in
                Session {
                    holder.application?.preconditionIsolated()
                    await elsewhere()
                    holder.application?.preconditionIsolated()
                } atBeginning: { _ in
                    holder.application?.preconditionIsolated()
                } atEnd: { _ in
                    holder.application?.preconditionIsolated()
                }
            }
            try await run(in: scratch, session, holder) { application async throws in
                try await application.waitUntilLaunched()
                #expect(try await application.report().restored == 1)
            }
        }
    }

    @Test func `R13: a superfluous completion does not end an object's restoration`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let steps = AwaitableState(Step.before)
            let session = { @Sendable in
                Session {
                    steps.change { $0 = .begun }
                    await steps.wait { $0 == .released }
                } atBeginning: {
                    $0.completeStateRestoration()
                }
            }
            try await run(in: scratch, session) { application async throws in
                await steps.wait { $0 == .begun }
                #expect(await application.status().phase == .launching)
                steps.change { $0 = .released }
                try await application.waitUntilLaunched()
                #expect(try await application.report().restored == 1)
                #expect(try await application.report().superfluousCompletions == 1)
            }
        }
    }

    @Test func `R13: a stop does not wait for an unfinished restoration and keeps the saved state`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let steps = AwaitableState(Step.before)
            let session = { @Sendable in
                Session {
                    steps.change { $0 = .begun }
                    // The task is cancelled together with its scene.
                    await steps.wait { $0 == .released }
                    try Task.checkCancellation()
                } atEnd: { _ in
                    Issue.record("it went on")
                }
            }
            try await run(in: scratch, session) { application async throws in
                await steps.wait { $0 == .begun }
            }
            try await run(in: scratch, { Session {} }) { application async throws in
                try await application.waitUntilReady()
                let number = try await application.perform(with: .session) { $0.number }.result
                #expect(number == 7)
            }
        }
    }

    @Test func `R12: an object without a record does not finish a restoration`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let session = { @Sendable in Session { Issue.record("it was not restored") } }
            try await run(in: scratch, session) { application async throws in
                try await application.waitUntilReady()
                let resumed = try await application.perform(with: .session) { $0.resumed }.result
                #expect(resumed == "")
            }
        }
    }

    @Test func `a launch ends if the host loses the ownership of the application`() async throws {
        try await takeOver { (application, launch, _) async throws in
            await application.loseOwnership()
            await #expect(throws: ApplicationError.self) { try await launch.value }
            #expect(await application.status().phase == .stopped)
        }
    }

    @Test func `a command during a takeover waits for the launch`() async throws {
        try await takeOver { (application, launch, finish) async throws in
            let resumed = Task.immediate {
                try await application.perform(with: .session) { $0.resumed }.result
            }
            finish()
            #expect(try await resumed.value == "resumed 7")
            try await launch.value
        }
    }

    @Test func `an application quit during a takeover is stopped and can be launched again`()
        async throws
    {
        try await takeOver { (application, launch, finish) async throws in
            try await application.quitUntilLaunch()
            try await launch.value
            #expect(await application.status().phase == .stopped)
            finish()
            try await application.launch()
        }
    }

    /// Makes a host the owner of an application whose session has not finished its restoration yet.
    ///
    /// - Parameter body: A closure that receives the application, the task of the launch, and a function that lets the
    ///   session finish.
    private func takeOver(
        _ body: (Application, Task<Void, any Error>, () -> Void) async throws -> Void
    ) async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await write(7, in: scratch)
            let steps = AwaitableState(Step.before)
            let isTaken = AwaitableState(false)
            let session = { @Sendable in
                Session {
                    steps.change { if $0 == .before { $0 = .begun } }
                    await steps.wait { $0 == .released }
                }
            }
            try await run(in: scratch, session, isClustered: true) { application async throws in
                let launch = Task {
                    try await application.launchAsOwner(
                        Ownership(writerID: 1, replica: NoReplica(), isValid: { true }),
                        with: nil, onOwnership: { isTaken.change { $0 = true } })
                }
                await steps.wait { $0 == .begun }
                #expect(isTaken.state)
                let finish = { steps.change { $0 = .released } }
                defer { finish() }
                try await body(application, launch, finish)
            }
        }
    }

    // MARK: Program

    private func write(_ number: Int, in scratch: ScratchDirectory) async throws {
        try await run(in: scratch, { Session {} }) { application async throws in
            try await application.waitUntilReady()
            try await application.perform(with: .session) { $0.number = number }
        }
    }

    private func run(
        in scratch: ScratchDirectory, _ makeSession: @escaping @Sendable () -> Session,
        _ holder: Holder = Holder(), clock: TestClock? = nil, log: LogRecorder? = nil,
        isClustered: Bool = false, _ body: (Application) async throws -> Void
    ) async throws {
        var settings = PreservationSettings()
        if let clock { settings.clock = clock }
        settings.isClustered = isClustered
        let application = try Application(
            bundleIdentifier: "org.example.Sessions", bundleVersion: "1",
            stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
            settings: settings, logger: log?.logger() ?? .quiet
        ) { try $0.add(makeSession(), as: .session) }
        holder.application = application
        let services = ServiceGroup(services: [application], logger: .quiet)
        async let running: Void = services.run()
        try await body(application)
        await services.triggerGracefulShutdown()
        try await running
    }
}

/// Switches to another thread.
@concurrent private func elsewhere() async {
    await Task.yield()
}

/// Reference to an application that is created later. It is written once, before the application runs.
private final class Holder: @unchecked Sendable {
    var application: Application?
}

/// Progress of a restoration that the test blocks.
private enum Step {
    case before, begun, released
}

private struct Unreachable: Error, CustomStringConvertible {
    let description = "the host does not answer"
}

private final class Session: StateRestoring, AsyncStateRestoring {
    let restoration = RestorationNode()
    @Restorable("number") var number = 0
    var resumed = ""
    private let connect: @Sendable () async throws -> Void
    private let begin: @Sendable (Scene) -> Void
    private let end: @Sendable (Session) -> Void

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - connect: A closure that finishes the restoration.
    ///   - begin: A closure that is called before `connect`.
    ///   - end: A closure that is called after `connect`.
    init(
        _ connect: @escaping @Sendable () async throws -> Void,
        atBeginning begin: @escaping @Sendable (Scene) -> Void = { _ in },
        atEnd end: @escaping @Sendable (Session) -> Void = { _ in }
    ) {
        self.connect = connect
        self.begin = begin
        self.end = end
    }

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$number) }

    func finishRestoring(in scene: Scene) async throws {
        #expect(scene[.session] === self)
        begin(scene)
        try await connect()
        end(self)
        resumed = "resumed \(number)"
    }
}

extension ObjectKey<Session> {
    fileprivate static var session: Self { "session" }
}
