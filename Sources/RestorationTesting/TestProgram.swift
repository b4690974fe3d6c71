import FoundationEssentials
import Glibc
import LinuxIO
public import Logging
public import Preservation
import SavedState
import ServiceLifecycle
import Synchronization

/// A program under test that can be launched, stopped or killed, and relaunched from its saved state.
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
/// The program's state is stored in a temporary directory, which is removed when this object is deallocated. Missed
/// invalidations are detected after each command (P20).
public final class TestProgram<Parts: Sendable>: Sendable {
    /// How a run of the program ends.
    public enum End: Sendable {
        /// The program stops cleanly and saves all of its state.
        case stop
        /// The program is killed. Only state that it has already written remains.
        case kill
    }

    /// Clock that the program uses.
    ///
    /// Intervals and timeouts elapse, and elements of collections expire, only when the test advances the clock.
    public let clock = TestClock()
    /// Simulated disk failures.
    public let disk = DiskFaults()
    private let makeProgram: @Sendable (TestEnvironment) async throws -> (Application, Parts)
    private let recorder = ProblemRecorder()
    private let temporaryDirectory: TemporaryDirectory
    private let state = Mutex(State())

    private struct State {
        var runCount = 0
        /// Path of the archive to load in the next run, or `nil` to use the state of the previous run.
        var archivePath: String?
    }

    /// Creates a program that has not been launched yet.
    ///
    /// To test another version of the program, create another `TestProgram` with ``init(after:_:)``.
    ///
    /// - Parameter make: A closure that creates the application and the other parts of the program. It is called for
    ///   each run.
    /// - Throws: A system error if the temporary directory cannot be created.
    public init(
        _ make: @escaping @Sendable (TestEnvironment) async throws -> (Application, Parts)
    ) throws {
        makeProgram = make
        temporaryDirectory = try TemporaryDirectory()
    }

    /// Creates another version of a program, starting from the state that `other` has saved.
    ///
    /// - Throws: A system error if the state cannot be copied.
    public convenience init<OtherParts>(
        after other: TestProgram<OtherParts>,
        _ make: @escaping @Sendable (TestEnvironment) async throws -> (Application, Parts)
    ) throws {
        try self.init(make)
        if let finalStatePath = other.finalStatePath {
            try FileManager.default.copyItem(atPath: finalStatePath, toPath: runDirectory(1))
            state.withLock { $0.runCount = 1 }
        }
    }

    /// Messages that the program has logged at level `warning` or higher.
    public var problems: [String] { recorder.problems }

    /// Makes the next run load a stored archive, such as an archive that an earlier version of the program wrote.
    ///
    /// - Parameter archive: The path of a copy of an application's `data.archive`.
    /// - Throws: An error that states the path if the file does not exist.
    public func loadArchiveInNextRun(_ archive: String) throws {
        guard FileManager.default.fileExists(atPath: archive) else {
            throw MissingArchive(path: archive)
        }
        state.withLock { $0.archivePath = archive }
    }

    /// Launches the program, runs a closure once the program accepts commands, and then stops or kills the program.
    ///
    /// Only one run can be active at a time.
    ///
    /// - Parameters:
    ///   - end: How the run ends, even if the closure throws an error.
    ///   - body: A closure that receives the application and the other parts of the program.
    /// - Throws: An error from `body` or from the closure that creates the program, `ApplicationError` if the
    ///   application could not be launched, or the error that prevented the final save.
    @discardableResult
    public nonisolated(nonsending) func run<Result>(
        endingBy end: End = .stop, _ body: (Application, Parts) async throws -> Result
    ) async throws -> Result {
        let path = try prepareRunDirectory()
        let directory = try StateDirectory(
            locked: FaultyDirectory(directory: try Directory.openOrCreate(path), faults: disk),
            pid: getpid())
        var settings = PreservationSettings()
        settings.clock = clock
        settings.now = { [clock] in Int64((clock.date.timeIntervalSince1970 * 1_000_000).rounded())
        }
        settings.detectsMissedInvalidations = true
        let (application, parts) = try await makeProgram(
            TestEnvironment(
                stateDirectory: ApplicationStateDirectory(directory), clock: clock,
                settings: settings, logger: recorder.logger()))
        try installArchive(in: application)
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    // The body may quit the application.
                    .init(
                        service: application,
                        successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                logger: Logger(label: "test") { _ in
                    SwiftLogNoOpLogHandler()
                }))
        async let serviceRun: Void = services.run()
        let result: Swift.Result<Result, any Error>
        do {
            try await application.waitUntilReady()
            result = .success(try await body(application, parts))
        } catch {
            result = .failure(error)
        }
        if end == .kill {
            try copyState(path)
            recorder.stopRecording()
        }
        await services.triggerGracefulShutdown()
        var serviceResult: Swift.Result<Void, any Error> = .success(())
        do { try await serviceRun } catch { serviceResult = .failure(error) }
        if end == .stop { try copyState(path) } else { recorder.startRecording() }
        let output = try result.get()
        if end == .stop { try serviceResult.get() }
        return output
    }

    /// Path of the directory that contains the state at the end of the last run, or `nil` if no run has ended.
    fileprivate var finalStatePath: String? {
        state.withLock { $0.runCount > 0 ? runDirectory($0.runCount) : nil }
    }

    /// Returns the path of the directory that contains the initial state of a run. Runs are numbered from 0.
    private func runDirectory(_ number: Int) -> String { "\(temporaryDirectory.path)/\(number)" }

    private func prepareRunDirectory() throws -> String {
        let path = runDirectory(state.withLock(\.runCount))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let runningPath = "\(path).running"
        if FileManager.default.fileExists(atPath: runningPath) {
            try FileManager.default.removeItem(atPath: runningPath)
        }
        try FileManager.default.copyItem(atPath: path, toPath: runningPath)
        return runningPath
    }

    /// Copies the state at the end of a run to the directory from which the next run starts.
    private func copyState(_ path: String) throws {
        let nextPath = runDirectory(state.withLock(\.runCount) + 1)
        // The running program may rename a file while its directory is copied.
        var remainingAttempts = 8
        while true {
            do {
                try FileManager.default.copyItem(atPath: path, toPath: nextPath)
                return state.withLock { $0.runCount += 1 }
            } catch {
                remainingAttempts -= 1
                guard remainingAttempts > 0, FileManager.default.fileExists(atPath: nextPath)
                else { throw error }
                try FileManager.default.removeItem(atPath: nextPath)
            }
        }
    }

    private func installArchive(in application: Application) throws {
        guard let archivePath = state.withLock({ $0.archivePath.take() }) else { return }
        let path = application.archivePath
        if let slash = path.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: String(path[..<slash]), withIntermediateDirectories: true)
        }
        if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
        }
        try FileManager.default.copyItem(atPath: archivePath, toPath: path)
    }
}

/// The environment of the program under test.
public struct TestEnvironment: Sendable {
    /// Directory in which the program saves its state.
    public let stateDirectory: ApplicationStateDirectory
    /// Clock of the program. Only the test advances the clock.
    public let clock: TestClock
    /// Settings that use the test's clock and detect missed invalidations after each command (P20).
    public var settings: PreservationSettings
    /// Logger that collects messages for ``TestProgram/problems``.
    public let logger: Logger
}

/// An error for an archive that does not exist.
struct MissingArchive: Error, CustomStringConvertible {
    let path: String

    var description: String {
        "there is no archive \(path): use an absolute path, such as one based on #filePath"
    }
}

/// A temporary directory that is removed when this object is deallocated.
private final class TemporaryDirectory: Sendable {
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
        } catch {}  // The directory is temporary, so a failure does not matter.
    }
}

/// A recorder for log messages about problems.
private final class ProblemRecorder: Sendable {
    private struct Recording {
        var problems: [String] = []
        var isActive = true
    }

    private let recording = Mutex(Recording())

    var problems: [String] { recording.withLock { $0.problems } }

    /// Starts collecting messages.
    func startRecording() { recording.withLock { $0.isActive = true } }

    /// Stops collecting messages, because a killed program would log no further messages.
    func stopRecording() { recording.withLock { $0.isActive = false } }

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
            recorder.recording.withLock { recording in
                if recording.isActive { recording.problems.append(event.message.description) }
            }
        }
    }
}
