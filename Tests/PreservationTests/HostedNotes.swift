import Logging
import NIOCore
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// An application of notes that runs, with all that a test turns and looks at.
struct HostedNotes {
    static let interval = Duration.seconds(5)
    static let launchTimeout = Duration.seconds(30)

    let application: Application
    let clock: TestClock
    let log: LogRecorder
    let loop: any EventLoop

    /// The actor after the turns that wrote so many passes: its answer comes behind the write.
    func status(afterPasses count: Int) async -> ApplicationStatus {
        await log.wait(for: count, .passed)
        return await application.status()
    }

    /// The status after saving has begun to work again by itself.
    func statusWhenSavingResumes() async -> ApplicationStatus {
        await log.wait(for: 1, .saveResumed)
        return await application.status()
    }

    /// Lets the interval pass, and returns when the turn that it is over for was made.
    func passInterval() async {
        let settings = await application.settings
        let passing = await application.intervals?.passing.filter { interval, _ in
            interval == .preservation || settings.history.interval <= Self.interval
        }
        clock.advance(by: Self.interval)
        for task in (passing ?? [:]).values { await task.value }
        for _ in 0..<100_000 where application.turns.withQueue(\.isIntervalDue) {
            await Task.yield()
        }
    }

    /// A person writes a note; the answer tells how safe it is.
    @discardableResult
    func write(_ text: String, in scene: String? = nil) async throws -> Saved {
        try await application.performEvenIfUnsaved(on: scene) { $0.note.text = text }.saved
    }

    func text(in scene: String? = nil) async throws -> String {
        try await application.read(on: scene) { $0.note.text }
    }
}

/// What a test says of the application that it hosts.
struct HostedSettings {
    var version = "1"
    var scenes: [RestorationIdentifier] = ["main"]
    var time: Int64 = 1_000_000
    var crashLimit = 1
    var bundleIdentifier = Notes.bundleIdentifier
    var isLaunchEager = true
    var idleTime: Duration?
    /// Whether the body runs only when the launch has ended.
    var waitsForLaunch = true
    var makeClasses: @Sendable () -> ClassRegistry = { ClassRegistry() }
    var makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?
    var durability = PreservationSettings.Durability.written
    var history = HistorySettings()
    var quarantine = QuarantineSettings()
    var follower: (any ApplicationFollower)?
    var detectsMissedInvalidations = false
    /// The folder that the state lies in; nil: the one of the scratch folder.
    var stateDirectory: ApplicationStateDirectory?
    /// Makes what the application runs on.
    var makeExecutor: @Sendable (any EventLoop) -> any SerialExecutor = { $0.executor }
}

/// Makes an application, runs it as a service while the body runs, and ends it in an orderly way.
@discardableResult
func withNotes<Result>(
    _ notes: Notes = Notes(), in scratch: ScratchFolder, version: String = "1",
    scenes: [RestorationIdentifier] = ["main"], time: Int64 = 1_000_000,
    _ body: (HostedNotes) async throws -> Result
) async throws -> Result {
    let settings = HostedSettings(version: version, scenes: scenes, time: time)
    return try await withNotes(notes, in: scratch, settings, body)
}

@discardableResult
func withNotes<Result>(
    _ notes: Notes = Notes(), in scratch: ScratchFolder, _ settings: HostedSettings,
    _ body: (HostedNotes) async throws -> Result
) async throws -> Result {
    try await withStoppedNotes(notes, in: scratch, settings) { hosted in
        let services = ServiceGroup(
            services: [hosted.application],
            logger: .quiet)
        async let running: Void = services.run()
        if settings.waitsForLaunch { try await hosted.application.waitUntilLaunched() }
        let result = try await body(hosted)
        await services.triggerGracefulShutdown()
        try await running
        return result
    }
}

/// Makes an application that nobody runs.
@discardableResult
func withStoppedNotes<Result>(
    _ notes: Notes = Notes(), in scratch: ScratchFolder,
    _ hostedSettings: HostedSettings = HostedSettings(),
    _ body: (HostedNotes) async throws -> Result
) async throws -> Result {
    let clock = TestClock()
    let log = LogRecorder { entry in entry.withoutSubject }
    let ticks = Mutex(hostedSettings.time)
    var settings = PreservationSettings(
        interval: HostedNotes.interval, launchTimeout: HostedNotes.launchTimeout,
        crashLimit: hostedSettings.crashLimit)
    settings.clock = clock
    settings.now = {
        ticks.withLock { ticks in
            ticks += 1
            return ticks
        }
    }
    settings.systemVersion = "TestOS 1"
    settings.durability = hostedSettings.durability
    settings.idleTime = hostedSettings.idleTime
    settings.isLaunchEager = hostedSettings.isLaunchEager
    settings.history = hostedSettings.history
    settings.quarantine = hostedSettings.quarantine
    settings.follower = hostedSettings.follower
    settings.detectsMissedInvalidations = hostedSettings.detectsMissedInvalidations
    return try await withEventLoop { loop in
        let application = try Application(
            definition: notes.definition(
                hostedSettings.bundleIdentifier, version: hostedSettings.version,
                scenes: hostedSettings.scenes,
                makeClasses: hostedSettings.makeClasses, makeModel: hostedSettings.makeModel),
            stateDirectory: hostedSettings.stateDirectory
                ?? scratch.watched(by: scratch.watch),
            settings: settings, executor: hostedSettings.makeExecutor(loop), logger: log.logger())
        return try await body(
            HostedNotes(application: application, clock: clock, log: log, loop: loop))
    }
}

extension Application {
    /// Queues commands in their order while nothing else of the application can run.
    ///
    /// - Parameter scenes: where they run, by turns.
    func queue<Result: Sendable>(
        _ count: Int, on scenes: [String] = ["main"],
        _ body: @escaping @Sendable (Int, Scene) throws -> Result
    ) -> [Task<CommandReply<Result>, any Error>] {
        (0..<count).map { number in
            Task.immediate {
                try await self.performEvenIfUnsaved(on: scenes[number % scenes.count]) {
                    try body(number, $0)
                }
            }
        }
    }

    /// Queues commands, and quits before any of them ran.
    func quitBehind<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int, Scene) throws -> Result
    ) throws -> [Task<CommandReply<Result>, any Error>] {
        let tasks = queue(count, body)
        try quitUntilLaunch()
        return tasks
    }

    /// Queues commands, and quits by force before any of them ran.
    func quitByForceBehind(_ count: Int) throws -> [Task<CommandReply<Void>, any Error>] {
        let tasks = queue(count) { _, _ in }
        try quitByForce()
        return tasks
    }

    /// The scene in restoration completes it.
    func completeRestoration() {
        hosted?.table.launching?.scene.completeStateRestoration()
    }

    /// The scene in restoration completes it, and the application is quit before it noticed.
    func completeRestorationAndQuit() throws {
        completeRestoration()
        try quitUntilLaunch()
    }

    /// Every scene has something to save, without a command.
    func changeNotes(_ text: String) {
        for scene in hosted?.table.live ?? [] { scene.scene.note.text = text }
    }

    /// Queues a write, the end of the scene and a read, and gives what was read, with the reason of
    /// the launch that it met, and what is there in the end.
    func writeAndCloseBetween(_ first: String, _ second: String) async throws -> [String] {
        let write = Task.immediate { try await self.perform { $0.note.text = first } }
        let close = Task.immediate { try await self.close(scene: "main") }
        let exchange = Task.immediate {
            try await self.perform { scene in
                defer { scene.note.text = second }
                return "\(scene.launchReason.rawValue) \(scene.note.text)"
            }
        }
        _ = try await write.value
        _ = try await close.value
        let read = try await exchange.value.result
        return [read, try await self.read { $0.note.text }]
    }

    /// Queues more commands than may wait, and gives what the last one was answered.
    func queueTooMany() async -> ApplicationError? {
        let tasks = queue(TurnQueue<Void, String>.maximumWaiting) { number, _ in number }
        var refusal: ApplicationError?
        do {
            _ = try await perform { _ in }
        } catch {
            refusal = error as? ApplicationError
        }
        for (number, task) in tasks.enumerated() {
            guard case .success(let reply) = await task.result, reply.result == number else {
                return nil
            }
        }
        return refusal
    }
}

extension LogRecorder {
    /// How often an event was told so far.
    func count(_ event: Preservation.LogEvent) -> Int { count(messageID: event.rawValue) }

    /// Returns when an event was told so often.
    func wait(for count: Int, _ event: Preservation.LogEvent) async {
        await wait(for: count, messageID: event.rawValue)
    }
}

extension LogRecorder.Entry {
    /// Without what every message begins with, the application and the scene.
    fileprivate var withoutSubject: LogRecorder.Entry {
        let subject = [metadata["REPRISE_APPLICATION"], metadata["REPRISE_SCENE"]]
            .compactMap(\.self).joined(separator: " ")
        guard message.hasPrefix(subject + ": ") else {
            Issue.record("\(message) does not begin with \(subject)")
            return self
        }
        var entry = self
        entry.message.removeFirst(subject.count + 2)
        return entry
    }
}
