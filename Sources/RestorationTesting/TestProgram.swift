import FoundationEssentials
import Glibc
import LinuxIO
public import Logging
public import Preservation
import SavedState
import ServiceLifecycle
import Synchronization

/// A program with its saved state in a test: it is launched, ended in one way or another, and launched again
/// from what it left.
///
/// ```swift
/// let program = try TestProgram { test in
///     let application = try Application(
///         bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
///         stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
///     return (application, try await application.value("jobs", default: Jobs()))
/// }
/// try await program.run(endingBy: .kill) { application, jobs in
///     try await jobs.update { $0.progress = 7 }
/// }
/// try await program.run { application, jobs in
///     #expect(try await jobs.current.progress == 7)
/// }
/// #expect(program.problems.isEmpty)
/// ```
///
/// Its state lies in a folder of its own below the temporary folder, which goes with it. Forgotten marks are
/// found after each command (P20).
public final class TestProgram<Parts: Sendable>: Sendable {
    /// How a program ends.
    public enum End: Sendable {
        /// It is told to, and saves everything.
        case stop
        /// It is killed: what it has written is there, and nothing more.
        case kill
    }

    /// The clock of the program: its intervals and limits pass when a test advances it.
    public let clock = TestClock()
    /// What goes wrong with the disk.
    public let disk = DiskFaults()
    private let make: @Sendable (TestEnvironment) async throws -> (Application, Parts)
    private let recorder = ProblemRecorder()
    private let folder: TemporaryFolder
    private let state = Mutex(State())

    private struct State {
        var runs = 0
        /// An archive that the next run finds instead of what the last one left.
        var archive: String?
    }

    /// A program that was not launched yet.
    ///
    /// - Parameter make: makes what a start of the program makes; called for each run. Another version of
    ///   the program is another `TestProgram` with ``init(after:_:)``.
    /// - Throws: an error of the system, if there is no temporary folder.
    public init(
        _ make: @escaping @Sendable (TestEnvironment) async throws -> (Application, Parts)
    ) throws {
        self.make = make
        folder = try TemporaryFolder()
    }

    /// Another version of a program, which finds what that one left.
    ///
    /// - Throws: an error of the system, if that cannot be copied.
    public convenience init<Others>(
        after other: TestProgram<Others>,
        _ make: @escaping @Sendable (TestEnvironment) async throws -> (Application, Parts)
    ) throws {
        try self.init(make)
        if let left = other.left {
            try FileManager.default.copyItem(atPath: left, toPath: runFolder(1))
            state.withLock { $0.runs = 1 }
        }
    }

    /// The log's messages from `warning` on, a sentence each.
    public var problems: [String] { recorder.problems }

    /// Has the next run find an archive that was kept, as one that an earlier version has left.
    ///
    /// - Parameter archive: its path: a copy of the `data.archive` of an application.
    /// - Throws: an error that names the path, if there is no such file.
    public func testArchive(_ archive: String) throws {
        guard FileManager.default.fileExists(atPath: archive) else {
            throw NoArchive(path: archive)
        }
        state.withLock { $0.archive = archive }
    }

    /// Launches the program, runs a body as soon as it takes commands, and ends it. One run at a time.
    ///
    /// - Parameters:
    ///   - end: how it ends, also if the body throws.
    ///   - body: gets what the program made.
    /// - Throws: what the body throws, what making the program throws, `ApplicationError` if the application
    ///   could not be launched, and what kept its last state from being saved.
    @discardableResult
    public nonisolated(nonsending) func run<Result>(
        endingBy end: End = .stop, _ body: (Application, Parts) async throws -> Result
    ) async throws -> Result {
        let path = try begin()
        let directory = try StateDirectory(
            locked: FaultyFolder(folder: try Directory.openOrMake(path), faults: disk),
            pid: getpid())
        var settings = PreservationSettings()
        settings.clock = clock
        settings.looksForForgottenMarksAtOnce = true
        let (application, parts) = try await make(
            TestEnvironment(
                stateDirectory: ApplicationStateDirectory(directory), settings: settings,
                logger: recorder.logger()))
        try place(in: application)
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: application)],
                logger: Logger(label: "test") { _ in
                    SwiftLogNoOpLogHandler()
                }))
        async let running: Void = services.run()
        await application.waitUntilReady()
        let result: Swift.Result<Result, any Error>
        do {
            if case .failed(let reason) = await application.status().phase {
                throw ApplicationError.failed(
                    application: application.bundleIdentifier, reason: reason)
            }
            result = .success(try await body(application, parts))
        } catch {
            result = .failure(error)
        }
        if end == .kill {
            try keep(path)
            recorder.end()
        }
        await services.triggerGracefulShutdown()
        var ending: Swift.Result<Void, any Error> = .success(())
        do { try await running } catch { ending = .failure(error) }
        if end == .stop { try keep(path) } else { recorder.begin() }
        let made = try result.get()
        if end == .stop { try ending.get() }
        return made
    }

    /// The folder with what the last run left; nil: there was none.
    fileprivate var left: String? {
        state.withLock { $0.runs > 0 ? runFolder($0.runs) : nil }
    }

    /// The folder that a run finds, from 0 on.
    private func runFolder(_ number: Int) -> String { "\(folder.path)/\(number)" }

    private func begin() throws -> String {
        let path = runFolder(state.withLock(\.runs))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let running = "\(path).running"
        if FileManager.default.fileExists(atPath: running) {
            try FileManager.default.removeItem(atPath: running)
        }
        try FileManager.default.copyItem(atPath: path, toPath: running)
        return running
    }

    /// What a run left is what the next one finds.
    private func keep(_ path: String) throws {
        let next = state.withLock { state in
            state.runs += 1
            return runFolder(state.runs)
        }
        try FileManager.default.copyItem(atPath: path, toPath: next)
    }

    private func place(in application: Application) throws {
        guard let archive = state.withLock({ $0.archive.take() }) else { return }
        let path = application.archivePath
        if let slash = path.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: String(path[..<slash]), withIntermediateDirectories: true)
        }
        if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
        try FileManager.default.copyItem(atPath: archive, toPath: path)
    }
}

/// What a program gets from the test that it runs in.
public struct TestEnvironment: Sendable {
    /// Where its state lies.
    public let stateDirectory: ApplicationStateDirectory
    /// How its state is saved: with the clock of the test, and with forgotten marks told at once (P20).
    public var settings: PreservationSettings
    /// Keeps what is logged for ``TestProgram/problems``.
    public let logger: Logger
}

/// There is no archive that a test names.
struct NoArchive: Error, CustomStringConvertible {
    let path: String

    var description: String {
        "there is no archive \(path): name it by a whole path, such as one made of #filePath"
    }
}

/// A folder that goes with this.
private final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(component: "reprise-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {}  // Nobody is left to tell; it is a temporary one.
    }
}

/// Keeps what is logged that a person should know of.
private final class ProblemRecorder: Sendable {
    private struct Recorded {
        var problems: [String] = []
        var isOn = true
    }

    private let recorded = Mutex(Recorded())

    var problems: [String] { recorded.withLock { $0.problems } }

    /// Keeps what is logged from now on.
    func begin() { recorded.withLock { $0.isOn = true } }

    /// Keeps nothing more: the program knows nothing of what is logged from now on.
    func end() { recorded.withLock { $0.isOn = false } }

    func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = .warning
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: ProblemRecorder
        var logLevel = Logger.Level.warning
        var metadata = Logger.Metadata()

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            recorder.recorded.withLock { recorded in
                if recorded.isOn { recorded.problems.append(event.message.description) }
            }
        }
    }
}
