import StateRecords
import StateRestoration
import TestSupport
import Testing

/// Random edits of the trees of two scenes, with values, references, gaps, orphans, equal siblings, registered objects
/// and moves between the scenes.
@Suite struct RandomEditTests {
    /// Number of batches of edits for each seed. All seeds together make more than 100,000 edits.
    private static let batches = 500

    @Test(arguments: 1...26)
    func `P18: after random edits, the archive has the contents that a full pass would write`(
        seed: UInt64
    ) throws {
        print("P18: seed \(seed)")
        var forest = try EditedForest(seed: seed)
        defer { forest.unlink() }
        for batch in 0..<Self.batches {
            for _ in 0..<8 { forest.edit() }
            let unsettled = forest.unsettled
            forest.saveChanges()
            let before = forest.archive.copy()
            let garbage = forest.unreachable()
            try #require(
                Set(forest.archive.places).count == forest.archive.places.count,
                "seed \(seed), batch \(batch): two records at one place")
            let full = forest.saveEverything()
            if forest.unsettled > unsettled { continue }
            if garbage.isEmpty {
                let changes = full.count { !$0.isEmpty }
                try #require(
                    changes == 0,
                    """
                    seed \(seed), batch \(batch): \(before.contents(without: forest.archive)) \
                    became \(forest.archive.contents(without: before))
                    """)
            } else {
                forest.cleanings += 1
                try #require(
                    forest.unreachable().isEmpty, "seed \(seed), batch \(batch): garbage stays")
            }
            let missing = forest.missing()
            try #require(missing == [], "seed \(seed), batch \(batch)")
            forest.prune()
        }
        #expect(forest.unsettled < 10, "contradictions are rare")
        #expect(forest.edits == Self.batches * 8)
        #expect(forest.cleanings < Self.batches / 2, "unreachable cycles are rare")
    }

    @Test(arguments: 1...8)
    func `after random edits, a lookup finds the same objects as a survey of the tree`(
        seed: UInt64
    ) throws {
        var forest = try EditedForest(seed: seed)
        defer { forest.unlink() }
        for batch in 0..<60 {
            for edit in 0..<4 {
                forest.edit()
                let errors = forest.lookupErrors()
                try #require(errors == [], "seed \(seed), batch \(batch), edit \(edit)")
            }
            forest.saveChanges()
            let errors = forest.lookupErrors()
            try #require(errors == [], "seed \(seed), batch \(batch)")
            forest.prune()
        }
        #expect(forest.edits == 240)
    }
}

/// Two scenes that share an archive and are edited by a test.
struct EditedForest {
    private static let identifiers: [RestorationIdentifier?] = [
        "a", "b", "c", "d", "e", "f", "g", nil,
    ]

    let archive = ForestArchive()
    private(set) var edits = 0
    var cleanings = 0
    /// Number of diagnostics about objects that could not be settled.
    private(set) var unsettled = 0
    private var generator: SeededNumbers
    private let scenes: [Scene]
    private let delegates: [TestDelegate]
    private var objects: [TestObject]
    /// Removed objects, which are kept alive because the scene is not notified when an object known only to a record is
    /// deallocated.
    private var pruned: [TestObject] = []
    private var registered: [TestObject] = []
    private var numberOfRegistered = 0
    /// Addresses that objects have had so far.
    private var addresses: Set<String> = []

    init(seed: UInt64) throws {
        generator = SeededNumbers(seed: seed)
        let names = NameTable()
        let numbering = RecordNumberGenerator()
        let delegates = [TestDelegate(TestObject("root")), TestDelegate(TestObject("root"))]
        self.delegates = delegates
        scenes = zip(["first", "second"] as [RestorationIdentifier], delegates).map {
            Scene(
                name: $0, launchReason: .pristine, delegate: $1, classes: ClassRegistry(),
                records: SceneRecords(names: names, numbering: numbering))
        }
        objects = delegates.compactMap(\.root)
        for scene in scenes { try scene.launch(restoring: nil) }
    }

    /// Looks up all addresses that objects have now or had before.
    ///
    /// - Returns: The addresses at which the lookup does not find the object that a survey finds.
    mutating func lookupErrors() -> [String] {
        var errors: [String] = []
        for scene in scenes {
            let survey = TreeSurvey(scene)
            let objects = Dictionary(
                survey.entries().map { ($0.address, $0.object) },
                uniquingKeysWith: { first, _ in first })
            addresses.formUnion(objects.keys)
            for address in addresses {
                let object = survey.objectsOnPath(to: address, loadsViews: false)
                let found = object.isComplete ? object.entries.last?.object : nil
                if found !== objects[address] { errors.append("\(scene.name): \(address)") }
            }
        }
        return errors
    }

    private var roots: [TestObject] { delegates.compactMap(\.root) }

    /// Makes one edit, as an application would between two passes.
    mutating func edit() {
        edits += 1
        guard let object = objects.randomElement(using: &generator),
            let other = objects.randomElement(using: &generator),
            let identifier = Self.identifiers.randomElement(using: &generator)
        else { return }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1:
            let kind: RestorationKind = Bool.random(using: &generator) ? .view : .viewController
            let new = TestObject(identifier, kind, value: edits)
            object.add(new)
            objects.append(new)
        case 2, 3: object.change(to: Int.random(in: 0..<9, using: &generator))
        case 4, 5:
            object.reference = other
            object.invalidateRestorableState()
        case 6:
            object.reference = nil
            object.invalidateRestorableState()
        case 7: if !isRoot(object) { object.leave() }
        case 8: if !isRoot(object) { object.restoration.identifier = identifier }
        case 9: register(below: other)
        case 10: if edits.isMultiple(of: 4), !registered.isEmpty { registered.removeLast() }
        default: if !isRoot(object), !object.holds(other) { other.add(object) }
        }
    }

    private func isRoot(_ object: TestObject) -> Bool { roots.contains { $0 === object } }

    /// Registers an object, with or without a parent. The object lives until it is removed from ``registered``.
    private mutating func register(below parent: TestObject) {
        numberOfRegistered += 1
        let object = TestObject(nil, .object, label: "registered", value: numberOfRegistered)
        let hasParent = Bool.random(using: &generator)
        object.parentObject = hasParent ? parent : nil
        let scene = scenes[Int.random(in: 0...1, using: &generator)]
        do {
            try scene.registerObject(
                forStateRestoration: object,
                restorationIdentifier: RestorationIdentifier(recorded: "r\(numberOfRegistered)"))
            registered.append(object)
        } catch {
            Issue.record(error)
        }
    }

    /// Makes several passes over each scene, because a transfer to one scene can require a pass over the other.
    mutating func saveChanges() {
        for _ in 0..<3 {
            for scene in scenes { _ = save(scene) }
        }
    }

    mutating func saveEverything() -> [PassOutput] {
        scenes.compactMap { save($0, isFull: true) }
    }

    private mutating func save(_ scene: Scene, isFull: Bool = false) -> PassOutput? {
        let pass = scene.preserve(.test, isFull ? .everything() : .marked)
        if let pass { archive.write(pass) }
        for case .childrenKeepChanging? in pass?.diagnostics ?? [] { unsettled += 1 }
        return pass
    }

    /// Returns the unreachable records, which belong to objects that refer only to each other and to registered objects
    /// that were released.
    func unreachable() -> Set<UInt32> {
        var reached: Set<UInt32> = []
        var waiting = Array(archive.scenes)
        let alive = Set(registered.map { $0.restoration.record.number.rawValue })
        waiting += archive.numbers.filter(alive.contains)
        for root in roots { waiting.append(root.restoration.record.number.rawValue) }
        while let number = waiting.popLast() {
            guard archive.holds(number), reached.insert(number).inserted else { continue }
            // A reference from another scene does not preserve an object.
            waiting += archive.references(of: number).filter {
                archive.scene(of: $0) == archive.scene(of: number)
            }
            waiting += archive.children(of: number).filter { child in
                !archive.scenes.contains(number) && !archive.isReleased(child, alive)
            }
        }
        return archive.numbers.subtracting(reached)
    }

    /// Returns the objects with identifiers that are below recorded objects but not recorded, although no other object
    /// has their path.
    func missing() -> [String] {
        roots.flatMap { missing($0, isReached: true) }
    }

    private func missing(_ object: TestObject, isReached: Bool) -> [String] {
        let isSaved = archive.holds(object.restoration.record.number.rawValue)
        let isMissing =
            isReached && !isSaved && object.restoration.identifier != nil
            && object.restoration.record.omission == nil
        // An object in a view has a path beside the view.
        let below = object.restorationKind == .view ? isReached : isSaved
        return (isMissing ? [object.label] : [])
            + object.children.flatMap { missing($0, isReached: below) }
    }

    /// Keeps the trees small and the registered objects few, so that many edits can be tried.
    mutating func prune() {
        if registered.count > 12 { registered.removeFirst(registered.count - 6) }
        guard objects.count > 40 else { return }
        for object in objects where !isRoot(object) && object.value.map({ $0 % 2 == 0 }) == true {
            object.leave()
            object.reference = nil
            object.invalidateRestorableState()
        }
        pruned += objects
        objects = roots + objects.filter { !isRoot($0) && $0.container != nil }.suffix(24)
    }

    /// Removes the reference cycles that the edits created.
    func unlink() {
        for object in objects + pruned { object.reference = nil }
    }
}

/// An archive in memory for the passes of several scenes.
final class ForestArchive {
    private struct Record {
        var header: ObjectHeader
        let values: SavedValues
        /// Numbers of the records that the values refer to.
        let references: [UInt32]

        init(_ header: ObjectHeader, _ values: SavedValues) {
            self.header = header
            self.values = values
            references = ForestArchive.references(in: values.inlineValues)
        }
    }

    /// Position of a record.
    struct Place: Hashable {
        let parent: UInt32
        let identifier: String
    }

    private var names: [UInt32: String] = [:]
    private var records: [UInt32: Record] = [:]
    private var below: [UInt32: Set<UInt32>] = [:]
    private(set) var scenes: Set<UInt32> = []

    func write(_ pass: PassOutput) {
        scenes.insert(pass.records.end.scene)
        for name in pass.names { names[name.number] = name.text }
        for record in pass.objects {
            put(
                Record(
                    record.header,
                    SavedValues(record.values, outOfLine: record.outOfLine.map(\.bytes))))
        }
        for header in pass.moves {
            guard var record = records[header.number] else {
                Issue.record("\(header.identifier) moves and was never written")
                continue
            }
            record.header = header
            put(record)
        }
        for number in pass.removals { remove(number) }
        for record in pass.objects.map(\.header) + pass.moves where record.parent != 0 {
            #expect(
                records[record.parent] != nil, "\(record.identifier) is below nothing")
        }
    }

    private func put(_ record: Record) {
        let number = record.header.number
        if let before = records[number] { below[before.header.parent]?.remove(number) }
        records[number] = record
        below[record.header.parent, default: []].insert(number)
    }

    private func remove(_ number: UInt32) {
        guard let record = records.removeValue(forKey: number) else { return }
        below[record.header.parent]?.remove(number)
        for child in below.removeValue(forKey: number) ?? [] { remove(child) }
    }

    var numbers: Set<UInt32> { Set(records.keys) }

    func holds(_ number: UInt32) -> Bool { records[number] != nil }

    func children(of number: UInt32) -> Set<UInt32> { below[number] ?? [] }

    /// Positions of all records.
    var places: [Place] {
        records.values.map {
            Place(parent: $0.header.parent, identifier: $0.header.identifier)
        }
    }

    func isReleased(_ number: UInt32, _ alive: Set<UInt32>) -> Bool {
        records[number]?.header.restorationKind == .object && !alive.contains(number)
    }

    func scene(of number: UInt32) -> UInt32? {
        guard let record = records[number] else { return nil }
        return record.header.parent == 0 ? number : scene(of: record.header.parent)
    }

    func references(of number: UInt32) -> [UInt32] { records[number]?.references ?? [] }

    private static func references(in values: ArraySlice<UInt8>) -> [UInt32] {
        var references: [UInt32] = []
        do {
            var reader = ValueReader(values)
            while !reader.isAtEnd {
                _ = try reader.readVarint()
                let start = reader.position
                if try reader.readTag() == .reference {
                    references.append(try reader.readReference().rawValue)
                } else {
                    reader.seek(to: start)
                    try reader.skipValue()
                }
            }
        } catch {
            Issue.record(error)
        }
        return references
    }

    /// Returns a copy of the current contents.
    func copy() -> ForestArchive {
        let copy = ForestArchive()
        copy.records = records
        return copy
    }

    /// Returns descriptions of the records that another archive does not contain in the same form.
    func contents(without other: ForestArchive) -> [String] {
        Set(contents).subtracting(other.contents).sorted()
    }

    private var contents: [String] {
        records.values.map { record in
            let header = record.header
            return "\(header.parent)/\(header.identifier)#\(header.number) "
                + "\(Array(record.values.inlineValues)) \(record.values.outOfLine.map(\.count))"
        }
    }
}

extension TestObject {
    fileprivate func holds(_ other: TestObject) -> Bool {
        other === self || other.container.map(holds) ?? false
    }
}
