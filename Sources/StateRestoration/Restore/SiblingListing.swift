/// The live objects that stand below one parent, as they are looked for by their recorded names.
///
/// Objects mostly stand in the order in which they were recorded, so each is looked for behind the
/// one found last. Only where that fails are the names of all worked out (I3).
struct SiblingListing {
    private let siblings: [any StateRestoring]
    private let parent: (any StateRestoring)?
    private let records: SceneRecords
    private var cursor = 0
    private var names: [RestorationIdentifier: Int]?

    /// All objects below a parent, identified or not; without parent they are roots.
    init(
        _ siblings: [any StateRestoring], below parent: (any StateRestoring)?,
        records: SceneRecords
    ) {
        self.siblings = siblings
        self.parent = parent
        self.records = records
    }

    /// How many objects there are.
    var count: Int { siblings.count }

    /// The object of this name and kind; nil if there is none, or if it was restored already.
    mutating func take(
        _ name: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        if siblings.isEmpty { return nil }
        if names == nil, let object = takeNext(name, kind) { return object }
        if names == nil { names = allNames() }
        guard let index = names?[name] else { return nil }
        let object = siblings[index]
        guard object.restorationKind == kind, !object.restoration.isRestored(in: records) else {
            return nil
        }
        return object
    }

    /// Takes the object behind the one taken last if it has this name. All before it have other
    /// names then: they have none, or were restored under theirs.
    private mutating func takeNext(
        _ name: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        while cursor < siblings.count {
            let object = siblings[cursor]
            let node = object.restoration
            if let identifier = node.identifier, !node.isRestored(in: records) {
                guard identifier == name, object.restorationKind == kind else { return nil }
                cursor += 1
                return object
            }
            cursor += 1
        }
        return nil
    }

    private func allNames() -> [RestorationIdentifier: Int] {
        let resolved = SiblingIdentifiers(
            siblings, below: parent?.restoration ?? records.root,
            numbered: parent?.numbersEqualChildren ?? false)
        var names: [RestorationIdentifier: Int] = [:]
        for (index, name) in resolved.identifiers.enumerated() {
            if let name { names[name] = index }
        }
        return names
    }
}

extension RestorationNode {
    /// Whether this launch has restored the object from a record of these.
    func isRestored(in records: SceneRecords) -> Bool {
        record.exists && belongs(to: records)
    }
}
