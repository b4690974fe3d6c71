import SavedState
import StateRecords
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Random edits of a tree. A pass saves each edit to a real archive.
@Suite struct RandomEditTests {
    @Test(arguments: 0..<12)
    func `P18: after any edits, the archive on disk contains the current tree`(
        seed: UInt64
    ) async throws {
        try await withScratchDirectory { scratch in
            var numbers = SeededNumbers(seed: seed)
            let directory = try StateDirectory.open(scratch.stateDirectory)
            let archive = try directory.archive(of: Notes.bundleIdentifier)
            _ = try archive.load()
            let saver = StateSaver(for: archive)
            let tree = EditedTree()
            let scene = Scene(
                name: "main", launchReason: .pristine, delegate: tree, classes: ClassRegistry(),
                records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
            try scene.launch(restoring: nil)
            for step in 0..<40 {
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    tree.edit(using: &numbers)
                }
                saver.save([scene], step % 10 == 9 ? .demand : .commands) {
                    PassMetadata(bundleVersion: "1", timestamp: Int64(step), systemVersion: "")
                }
                #expect(saver.failureReason == nil)
                let onDisk = try directory.archive(of: Notes.bundleIdentifier)
                _ = try onDisk.load()
                try #require(try texts(in: onDisk) == tree.texts, "step \(step)")
            }
        }
    }

    /// Returns the saved text of each object, keyed by path.
    private func texts(in archive: ApplicationArchive) throws -> [String: String] {
        let scene = try #require(archive.scenes.first)
        let key = archive.names.first { $0.value == "text" }?.key
        var paths: [UInt32: String] = [scene.header.number: ""]
        var texts: [String: String] = [:]
        for object in archive.records(below: scene.header.number).objects.dropFirst() {
            let header = object.header
            let path = "\(try #require(paths[header.parent]))/\(header.identifier)"
            paths[header.number] = path
            // The bytes are the key's number, the string's tag and length, and the string.
            #expect(object.values.first.map(UInt32.init) == key)
            texts[path] = String(decoding: object.values.dropFirst(3), as: UTF8.self)
        }
        return texts
    }
}

/// Tree of text objects below a root, and the delegate of its scene.
final class EditedTree: RestorationDelegate {
    private let root = TextNode("root")
    private var nodes: [TextNode]
    private var made = 0

    init() {
        nodes = [root]
    }

    var restorationRoot: (any StateRestoring)? { root }

    func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
        true
    }

    func edit(using numbers: inout SeededNumbers) {
        guard let node = nodes.randomElement(using: &numbers),
            let other = nodes.randomElement(using: &numbers)
        else { return }
        made += 1
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0, 1:
            let new = TextNode(RestorationIdentifier(recorded: "n\(made)"))
            new.text = "text \(made)"
            other.add(new)
            nodes.append(new)
        case 2: node.text = "text \(made)"
        case 3: node.restoration.identifier = RestorationIdentifier(recorded: "r\(made)")
        case 4: if node !== root, !node.holds(other) { other.add(node) }
        default:
            guard node !== root else { return }
            node.leave()
            nodes.removeAll { node.holds($0) }
        }
    }

    /// Expected text of each object, keyed by path.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        root.collect(below: "", into: &texts)
        return texts
    }
}

/// Object with text and children.
private final class TextNode: StateRestoring {
    let restoration = RestorationNode()
    private weak var container: TextNode?
    private var children: [TextNode] = []
    var text = "" {
        didSet { invalidateRestorableState() }
    }

    init(_ identifier: RestorationIdentifier) {
        restoration.identifier = identifier
    }

    func add(_ child: TextNode) {
        child.leave()
        child.container = self
        children.append(child)
        restoration.invalidateStructure()
    }

    func leave() {
        container?.children.removeAll { $0 === self }
        container?.restoration.invalidateStructure()
        container = nil
    }

    func holds(_ other: TextNode) -> Bool {
        other === self || other.container.map(holds) ?? false
    }

    func collect(below path: String, into texts: inout [String: String]) {
        let path = "\(path)/\(restoration.identifier?.text ?? "")"
        texts[path] = text
        for child in children { child.collect(below: path, into: &texts) }
    }

    var restorationKind: RestorationKind { .viewController }
    var restorationParent: (any StateRestoring)? { container }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        for child in children { body(child) }
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
        coder.encode(text, forKey: "text")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {}
}
