import StateRestoration

/// An object of a small tree that saves a number and references, and records the calls that it receives.
class TestObject: StateRestoring {
    private let node = RestorationNode()
    var restoration: RestorationNode { node }
    /// In these tests, views are parts of controllers.
    var isListedByClass: Bool { restorationKind != .view }
    let restorationKind: RestorationKind
    let label: String
    private(set) weak var container: TestObject?
    /// Parent of a registered object.
    weak var parentObject: TestObject?
    private(set) var children: [TestObject] = []
    /// Additional child, which has another container.
    var additionalChild: TestObject?
    var isInObjectTree = true
    var allowsDuplicateChildIdentifiers = false
    var restorationStackKey: StaticString? { nil }
    var journal: Journal?

    var value: Int?
    var reference: TestObject?
    var encoding: ((StateEncoder) throws -> Void)?
    var decoding: ((StateDecoder) throws -> Void)?
    var loading: (() -> Void)?
    private(set) var encodings = 0
    private(set) var decodings = 0
    private(set) var finishes = 0

    /// Creates an object.
    ///
    /// - Parameters:
    ///   - identifier: The restoration identifier, or `nil` if the object is not preserved.
    ///   - label: The name of the object in the journal, by default the identifier.
    init(
        _ identifier: RestorationIdentifier?, _ kind: RestorationKind = .viewController,
        label: String? = nil, value: Int? = nil, _ children: [TestObject] = []
    ) {
        restorationKind = kind
        self.label = label ?? identifier?.text ?? "-"
        self.value = value
        restoration.identifier = identifier
        for child in children { add(child) }
    }

    /// Creates a controller with children.
    convenience init(
        _ identifier: RestorationIdentifier?, value: Int? = nil, _ children: [TestObject]
    ) {
        self.init(identifier, .viewController, value: value, children)
    }

    func add(_ child: TestObject) {
        child.leave()
        child.container = self
        children.append(child)
        restoration.invalidateStructure()
    }

    /// Makes the object refer to other objects, and marks it.
    func refer(to others: [TestObject]) {
        encoding = { $0.encode(others, forKey: "others") }
        invalidateRestorableState()
    }

    /// Adds a child, and reports it as the only change.
    func addReportingChange(_ child: TestObject) {
        child.container = self
        children.append(child)
        restoration.invalidateStructure(.added(child))
    }

    func leave() {
        container?.children.removeAll { $0 === self }
        container?.restoration.invalidateStructure()
        container = nil
    }

    /// Leaves the container, which reports this object as the only change.
    func leaveReportingChange() {
        container?.children.removeAll { $0 === self }
        container?.restoration.invalidateStructure(.removed(self))
        container = nil
    }

    /// Sets the saved number, as a user's command would.
    func change(to value: Int) {
        self.value = value
        invalidateRestorableState()
    }

    /// Assigns the journal to the object and all objects below it.
    func record(in journal: Journal) -> Self {
        self.journal = journal
        for child in children { _ = child.record(in: journal) }
        return self
    }

    /// Returns a copy of the tree, with references to the copied objects.
    func copy() -> TestObject {
        var copies: [ObjectIdentifier: TestObject] = [:]
        let copy = copied(&copies)
        link(&copies)
        return copy
    }

    private func copied(_ copies: inout [ObjectIdentifier: TestObject]) -> TestObject {
        let copy = TestObject(restoration.identifier, restorationKind, value: value, [])
        copies[ObjectIdentifier(self)] = copy
        for child in children { copy.add(child.copied(&copies)) }
        return copy
    }

    private func link(_ copies: inout [ObjectIdentifier: TestObject]) {
        if let reference {
            let target = ObjectIdentifier(reference)
            copies[ObjectIdentifier(self)]?.reference =
                copies[target] ?? reference.copied(&copies)
        }
        for child in children { child.link(&copies) }
    }

    var restorationParent: (any StateRestoring)? {
        guard restorationKind == .view, let container, container.restorationKind == .view else {
            return container ?? parentObject
        }
        return container.restorationParent
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        for child in children { body(child) }
        if let additionalChild { body(additionalChild) }
    }

    func loadRestorationChildren() {
        journal?.record("load \(label)")
        loading?()
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
        journal?.record("encode \(label)")
        encodings += 1
        coder.encode(value, forKey: "value")
        coder.encode(reference, forKey: "reference")
        try encoding?(coder)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        journal?.record("decode \(label)")
        decodings += 1
        value = try coder.decode(Int.self, forKey: "value")
        reference = try coder.decodeObject(TestObject.self, forKey: "reference")
        try decoding?(coder)
    }

    func applicationFinishedRestoringState() {
        journal?.record("finished \(label)")
        finishes += 1
    }
}

/// A class with another name.
class OtherObject: TestObject {}

/// A subclass of ``OtherObject``.
final class DerivedObject: OtherObject {}

/// A class whose objects the scene's delegate creates when they are restored.
final class MadeObject: TestObject, ObjectRestoration {
    static func object(
        withRestorationIdentifierPath path: RestorationPath, coder: StateDecoder
    ) throws -> (any StateRestoring)? {
        guard let delegate = coder.scene.delegate as? TestDelegate else { return nil }
        delegate.journal?.record("class \(path)")
        return try delegate.making?(path, coder)
    }
}

extension ClassRegistry {
    /// A registry that contains ``MadeObject``.
    static var withMadeObject: ClassRegistry {
        var classes = ClassRegistry()
        classes.register(MadeObject.self)
        return classes
    }
}

/// A container of a stack, which links its members again like a navigation controller.
final class StackObject: TestObject {
    private static let membersKey: StaticString = "members"

    override var restorationStackKey: StaticString? { Self.membersKey }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(children.filter { $0.restorationKind != .view }, forKey: Self.membersKey)
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        let members = try coder.decodeObjects(TestObject.self, forKey: Self.membersKey) ?? []
        for member in members.prefix(while: { $0 != nil }).compactMap(\.self) { add(member) }
    }
}

/// Calls that objects and delegates received, in order.
final class Journal {
    private(set) var entries: [String] = []

    func record(_ entry: String) { entries.append(entry) }

    /// Returns and removes the entries.
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
}

/// An error that a test throws deliberately.
struct Refusal: Error, CustomStringConvertible {
    let description = "refused for the test"
}
