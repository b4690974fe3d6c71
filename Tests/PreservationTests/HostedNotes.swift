import CoreMetrics
import Logging
import NIOCore
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Running application of notes, with its clock, log and event loop.
struct HostedNotes {
    static let interval = Duration.seconds(5)
    static let launchTimeout = Duration.seconds(30)

    let application: Application
    let clock: TestClock
    let log: LogRecorder
    let loop: any EventLoop

    /// Waits until turns have made the given number of passes and written the changes, then returns the status.
    func status(afterPasses count: Int) async -> ApplicationStatus {
        await log.wait(for: count, .passFinished)
        return await application.status()
    }

    /// Waits until saving has resumed, then returns the status.
    func statusWhenSavingResumes() async -> ApplicationStatus {
        await log.wait(for: 1, .saveResumed)
        return await application.status()
    }

    /// Advances the clock by the preservation interval, and waits for the turn of the interval.
    func passInterval() async {
        let settings = await application.settings
        let timers = await application.intervalTimers?.timers.filter { interval, _ in
            interval == .preservation || settings.history.interval <= Self.interval
        }
        clock.advance(by: Self.interval)
        for task in (timers ?? [:]).values { await task.value }
        for _ in 0..<100_000 where application.commandInbox.withQueue(\.isIntervalDue) {
            await Task.yield()
        }
    }

    /// Writes a note as a user would, and returns its durability level.
    @discardableResult
    func write(_ text: String, in scene: String? = nil) async throws -> DurabilityLevel {
        try await application.performEvenIfUnsaved(on: scene) { $0.note.text = text }.saved
    }

    func text(in scene: String? = nil) async throws -> String {
        try await application.read(on: scene) { $0.note.text }
    }
}

/// Settings of the application that a test hosts.
struct HostedSettings {
    var version = "1"
    var scenes: [RestorationIdentifier] = ["main"]
    var time: Int64 = 1_000_000
    var crashLimit = 1
    var bundleIdentifier = Notes.bundleIdentifier
    var isLaunchEager = true
    var idleTimeout: Duration?
    /// Whether the body runs only after the launch has finished.
    var waitsForLaunch = true
    var makeClasses: @Sendable () -> ClassRegistry = { ClassRegistry() }
    var makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)?
    var durability = PreservationSettings.Durability.written
    var history = HistorySettings()
    var quarantine = QuarantineSettings()
    var follower: (any ApplicationEventFollower)?
    var metrics: (any MetricsFactory)?
    var detectsMissedInvalidations = false
    /// State directory, or `nil` for the one in the scratch directory.
    var stateDirectory: ApplicationStateDirectory?
    /// Creates the executor of the application.
    var makeExecutor: @Sendable (any EventLoop) -> any SerialExecutor = { $0.executor }
}

/// Calls a closure while an application runs as a service, then stops the application in an orderly way.
@discardableResult
func withNotes<Result>(
    _ notes: Notes = Notes(), in scratch: ScratchDirectory, version: String = "1",
    scenes: [RestorationIdentifier] = ["main"], time: Int64 = 1_000_000,
    _ body: (HostedNotes) async throws -> Result
) async throws -> Result {
    let settings = HostedSettings(version: version, scenes: scenes, time: time)
    return try await withNotes(notes, in: scratch, settings, body)
}

@discardableResult
func withNotes<Result>(
    _ notes: Notes = Notes(), in scratch: ScratchDirectory, _ settings: HostedSettings,
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

/// Calls a closure with an application that is not running.
@discardableResult
func withStoppedNotes<Result>(
    _ notes: Notes = Notes(), in scratch: ScratchDirectory,
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
    settings.usesJournalFields = true
    settings.hasControlSocket = true
    settings.durability = hostedSettings.durability
    settings.idleTimeout = hostedSettings.idleTimeout
    settings.isLaunchEager = hostedSettings.isLaunchEager
    settings.history = hostedSettings.history
    settings.quarantine = hostedSettings.quarantine
    settings.follower = hostedSettings.follower
    if let metrics = hostedSettings.metrics { settings.metrics = metrics }
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
    /// Marks the application as shared by the hosts of a cluster. Call this method before the application runs.
    func markShared() { settings.isClustered = true }

    /// Syncs the archive, and waits until the sync has ended.
    func syncNow() async {
        turnExecutor.syncSchedule.request()
        startRequestedSync()
        await wait { [self] in !turnExecutor.syncSchedule.isSyncing }
    }

    /// Queues commands in order, without interruption by other work of the application.
    ///
    /// - Parameter scenes: The scenes on which the commands run alternately.
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

    /// Queues commands, and quits the application before they run.
    func queueAndQuit<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int, Scene) throws -> Result
    ) throws -> [Task<CommandReply<Result>, any Error>] {
        let tasks = queue(count, body)
        try quitUntilLaunch()
        return tasks
    }

    /// Queues commands, and quits the application by force before they run.
    func queueAndForceQuit(_ count: Int) throws -> [Task<CommandReply<Void>, any Error>] {
        let tasks = queue(count) { _, _ in }
        try forceQuit()
        return tasks
    }

    /// Completes the extended restoration of the scene that is being launched.
    func completeRestoration() {
        hostedScenes?.table.launchingScene?.scene.completeStateRestoration()
    }

    /// Completes the extended restoration, and quits the application before it has handled the completion.
    func completeRestorationAndQuit() throws {
        completeRestoration()
        try quitUntilLaunch()
    }

    /// Changes the note in every scene without a command.
    func changeNotes(_ text: String) {
        for scene in hostedScenes?.table.liveScenes ?? [] { scene.scene.note.text = text }
    }

    /// Queues a write, the closing of the scene, and a command that reads and changes the note.
    ///
    /// Returns the launch reason and the text that the last command read, and the final text.
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

    /// Queues more commands than the maximum, and returns the error for the last command.
    func queueTooMany() async -> ApplicationError? {
        let tasks = queue(TurnQueue<Void, String>.maximumWaitingCommands) { number, _ in number }
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
    /// Returns how many times an event has been logged so far.
    func count(_ event: Preservation.LogEvent) -> Int { count(messageID: event.rawValue) }

    /// Waits until an event has been logged the given number of times.
    func wait(for count: Int, _ event: Preservation.LogEvent) async {
        await wait(for: count, messageID: event.rawValue)
    }
}

extension LogRecorder.Entry {
    /// Entry without the application and the scene at the beginning of its message.
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
