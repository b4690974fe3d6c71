import StateRecords
import StateRestoration
import Testing

/// A scene whose passes are written to an archive in memory.
final class TestScene {
    let delegate: TestDelegate
    let scene: Scene
    let archive: MemoryArchive

    /// Creates a scene that is not launched yet.
    init(
        _ delegate: TestDelegate, archive: MemoryArchive = MemoryArchive(),
        reason: LaunchReason = .pristine, classes: ClassRegistry = ClassRegistry()
    ) {
        self.delegate = delegate
        self.archive = archive
        scene = Scene(
            name: "main", launchReason: reason, delegate: delegate, classes: classes,
            records: SceneRecords(
                names: NameTable(archive.names),
                numbering: RecordNumberGenerator(after: archive.highestNumber)))
        scene.records.savedValues = { number in
            archive.records[number.rawValue].map {
                SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
            }
        }
    }

    /// Launches a scene with the given root, as a new process that restores the contents of the archive.
    static func launched(
        _ root: TestObject?, archive: MemoryArchive = MemoryArchive(),
        storyboards: TestStoryboard = TestStoryboard(), classes: ClassRegistry = ClassRegistry(),
        configure: (TestDelegate) -> Void = { _ in }
    ) throws -> TestScene {
        let isEmpty = archive.savedScene == nil
        let delegate = TestDelegate(root)
        configure(delegate)
        let scene = TestScene(
            delegate, archive: archive, reason: isEmpty ? .pristine : .restore, classes: classes)
        try scene.launch(storyboards)
        return scene
    }

    /// Launches a scene whose storyboard creates the recorded object `nav/page` with its child `nav/page/in`, which
    /// nothing links.
    ///
    /// - Returns: The scene, its root, and the created object. The recorded values of the object and its child are 1.
    static func launchedWithUnlinkedPage() throws -> (
        scene: TestScene, root: TestObject, page: TestObject
    ) {
        let origin = StoryboardOrigin(name: "Main", identifier: "page")
        func page(value: Int?) -> TestObject {
            let page = TestObject("page", value: value, [TestObject("in", value: value)])
            page.restoration.storyboard = origin
            return page
        }
        let first = try launched(TestObject("nav", [page(value: 1)]))
        first.save()
        let (root, page) = (TestObject("nav"), page(value: nil))
        let scene = try launched(
            root, archive: first.archive,
            storyboards: TestStoryboard(makers: [origin: { page }]))
        return (scene, root, page)
    }

    func launch(_ storyboards: TestStoryboard = TestStoryboard()) throws {
        try scene.launch(restoring: archive.savedScene, storyboards: storyboards)
    }

    /// Makes a pass, and writes its output to the archive.
    @discardableResult
    func save(isFull: Bool = false) -> PassOutput? {
        save(isFull ? .everything() : .marked)
    }

    /// Makes a pass with the given scope, and writes its output to the archive.
    @discardableResult
    func save(_ scope: PassScope) -> PassOutput? {
        let output = scene.preserve(.test, scope)
        if let output { archive.write(output) }
        return output
    }

    /// Creates another scene of the same application, and saves it.
    func otherScene(_ root: TestObject) throws -> Scene {
        let other = Scene(
            name: "second", launchReason: .pristine, delegate: TestDelegate(root),
            classes: ClassRegistry(),
            records: SceneRecords(names: scene.records.names, numbering: scene.records.numbering))
        try other.launch(restoring: nil)
        try save(other)
        return other
    }

    /// Makes an incremental pass over another scene of the same application, and writes its output to the archive.
    @discardableResult
    func save(_ other: Scene) throws -> PassOutput {
        let output = try #require(other.preserve(.test))
        archive.write(output)
        return output
    }

    var report: RestorationReport { scene.report }

    /// Objects that were not restored, each in the form `path: code`.
    var unrestored: [String] { report.unrestored.map { "\($0.path): \($0.code.rawValue)" } }
}

extension PassMetadata {
    static let test = PassMetadata(
        bundleVersion: "7", timestamp: 1_000_000, systemVersion: "Linux 6.1")
}

extension PassOutput {
    /// Sentences of the diagnostics.
    var sentences: [String] { diagnostics.map(\.description) }
}

extension PassOutput {
    /// Records of the objects.
    var objects: [ObjectRecord] { records.objects.objects }
    /// New headers of moved objects.
    var moves: [ObjectHeader] { records.placements }
    /// Numbers of the removed records.
    var removals: [UInt32] { records.removals }
    /// Bytes of all records of objects.
    var values: [UInt8] { records.objects.buffers.flatMap(\.self) }
    /// New names.
    var names: [(number: UInt32, text: String)] { records.names }
}
