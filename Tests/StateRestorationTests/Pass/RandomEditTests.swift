import StateRestoration
import Testing

/// Trees that are edited at random, with values, references, gaps, orphans and equal siblings.
@Suite struct RandomEditTests {
    @Test(arguments: 1...60)
    func `P16 and I3: after any pass a full one changes nothing, and paths are unique`(
        seed: UInt64
    ) throws {
        var generator = SplitMix(state: seed)
        var editor = TreeEditor()
        let test = try TestScene.launched(editor.root)
        test.save()
        for step in 0..<25 {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                editor.edit(using: &generator)
            }
            test.save()
            let paths = test.archive.paths
            try #require(Set(paths).count == paths.count, "step \(step): \(paths)")
            try #require(test.save(isFull: true)?.isEmpty == true, "step \(step): \(paths)")
        }
        for object in editor.objects { object.reference = nil }
    }
}

/// Edits a tree as an application would between two passes.
struct TreeEditor {
    let root = TestObject("root")
    private(set) var objects: [TestObject]

    init() {
        objects = [root]
    }

    mutating func edit(using generator: inout SplitMix) {
        let identifiers: [RestorationIdentifier?] = ["a", "b", "c", "d", "e", nil]
        guard let object = objects.randomElement(using: &generator),
            let other = objects.randomElement(using: &generator),
            let identifier = identifiers.randomElement(using: &generator)
        else { return }
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1:
            let new = TestObject(identifier, value: objects.count)
            object.add(new)
            objects.append(new)
        case 2: object.change(to: Int.random(in: 0..<9, using: &generator))
        case 3, 4:
            object.reference = other
            object.invalidateRestorableState()
        case 5:
            object.reference = nil
            object.invalidateRestorableState()
        case 6: if object !== root { object.leave() }
        case 7: if object !== root { object.restoration.identifier = identifier }
        default: if object !== root, !object.holds(other) { other.add(object) }
        }
    }
}

extension TestObject {
    fileprivate func holds(_ other: TestObject) -> Bool {
        other === self || other.container.map(holds) ?? false
    }
}
