import Encryption
import Foundation
import Logging
import Preservation
import StateRestoration

/// A way to save the objects with the library, which is embedded in this program.
///
/// It calls ``Application`` from the executor on which the application runs.
final class ReprisePersister: Persister {
    let count: Int
    /// Path of the archive, or an empty string before `begin()` is called.
    private(set) var archive = ""
    private let shape: Shape
    private let directory: String
    private let keys: EncryptionKeys
    private var running: RunningApplication?

    /// Creates a persister.
    ///
    /// - Parameters:
    ///   - directory: Parent directory of the state directory, which is created.
    ///   - keys: Keys with which the saved state is encrypted.
    init(_ shape: Shape, directory: String, keys: EncryptionKeys = .none) {
        count = shape.count
        self.shape = shape
        self.directory = directory + "/reprise"
        self.keys = keys
    }

    func begin() async throws {
        try await end()
        if FileManager.default.fileExists(atPath: directory) {
            try FileManager.default.removeItem(atPath: directory)
        }
        running = try await launch()
        archive = running?.application.archivePath ?? ""
    }

    func prepareSaves(durably: Bool) async throws {
        var settings = RunningApplication.settings
        settings.durability = durably ? .commit : .written
        await running?.application.apply(settings)
    }

    func saveAll() async throws { try await perform { $0.adoptPending() } }

    func saveChange() async throws { try await perform { $0.changed?.change() } }

    /// Runs a command that changes nothing.
    func changeNothing() async throws { try await perform { _ in } }

    /// Changes every object, and saves the changes.
    func changeAll() async throws { try await perform { $0.root?.changeAll() } }

    func end() async throws {
        try await running?.end()
        running = nil
    }

    func restore() async throws -> ContinuousClock.Instant {
        let running = try await launch()
        self.running = running
        return try await running.application.perform {
            guard let launched = ItemTree.of($0).launched else {
                throw Failure("the scene was not launched")
            }
            return launched
        }.result
    }

    func endAndCountRestored() async throws -> Int {
        let right = try await running?.application.perform { scene in
            var number = 0
            return ItemTree.of(scene).root?.countCorrect(from: &number) ?? 0
        }.result
        try await end()
        return right ?? 0
    }

    private func launch() async throws -> RunningApplication {
        try await RunningApplication(in: directory, keys: keys, scenes: ["main"]) { [shape] in
            ItemTree(shape)
        }
    }

    private func perform(_ body: @escaping @Sendable (ItemTree) -> Void) async throws {
        let saved = try await running?.application.perform { body(ItemTree.of($0)) }.saved
        if case .notSaved(let reason) = saved { throw Failure("a change was not saved: \(reason)") }
    }
}

/// An application together with the task that runs it.
@LoopActor final class RunningApplication {
    /// Settings with an interval so long that no periodic sync or check runs during a measurement.
    static let settings = PreservationSettings(interval: .seconds(3600))

    let application: Application
    private let service: Task<Void, any Error>

    /// Starts the application, and returns when it accepts commands.
    init(
        in directory: String, keys: EncryptionKeys = .none, scenes: [RestorationIdentifier],
        makeDelegate: @escaping @Sendable () -> any RestorationDelegate
    ) async throws {
        let application = try Application(
            definition: ApplicationDefinition(
                bundleIdentifier: "org.reprise.Benchmark", bundleVersion: "1", scenes: scenes,
                makeClasses: { ClassRegistry() },
                makeDelegate: { _ in makeDelegate() }),
            stateDirectory: ApplicationStateDirectory(path: directory, keys: keys),
            settings: Self.settings,
            executor: Loop.shared,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        self.application = application
        service = Task { try await application.run() }
        try await application.waitUntilReady()
    }

    func end() async throws {
        service.cancel()
        try await service.value
    }
}

/// The delegate of a scene with a tree of objects.
final class ItemTree: RestorationDelegate {
    private(set) var root: LiveItem?
    /// The object that the benchmark changes.
    private(set) var changed: LiveItem?
    /// The time at which the launch finished, or `nil` if the launch has not finished.
    private(set) var launched: ContinuousClock.Instant?
    private let shape: Shape
    private let createsWholeTree: Bool
    private var pending: [LiveItem] = []

    /// Identifiers that the objects share, as in a typical program, so that no strings are created.
    private static let identifiers = (0..<100).map {
        RestorationIdentifier(stringLiteral: "item\($0)")
    }

    /// Creates a delegate.
    ///
    /// - Parameter createsWholeTree: Whether the first launch creates the complete tree. If not,
    ///   `adoptPending()` adds the descendants of the root.
    init(_ shape: Shape, createsWholeTree: Bool = false) {
        self.shape = shape
        self.createsWholeTree = createsWholeTree
    }

    /// Returns the delegate of a scene.
    static func of(_ scene: Scene) -> ItemTree {
        unsafeDowncast(scene.delegate, to: ItemTree.self)
    }

    var restorationRoot: (any StateRestoring)? { root }

    func application(_ scene: Scene, willFinishLaunchingWith reason: LaunchReason) {
        if reason == .pristine {
            let whole = tree(ItemValues.init)
            changed = whole.innermost
            root = whole
            guard !createsWholeTree else { return }
            pending = whole.children
            whole.adopt([])
        } else {
            let none = ItemValues.none
            root = tree { _ in none }
        }
    }

    private func tree(_ values: (Int) -> ItemValues) -> LiveItem {
        shape.tree { LiveItem(values($0), identifier: Self.identifiers[$1]) }
    }

    func adoptPending() {
        root?.adopt(pending)
        pending = []
    }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func application(_ scene: Scene, shouldRestoreApplicationState coder: StateDecoder) -> Bool {
        true
    }

    func sceneDidLaunch(_ scene: Scene) { launched = .now }
}
