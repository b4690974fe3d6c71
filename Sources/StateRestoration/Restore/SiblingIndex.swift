import StateRecords

/// A list of the live objects below a parent. It can be searched by recorded identifier.
///
/// Objects usually have the same order as their records, so a search starts after the object that was found last. The
/// identifiers of all siblings are determined only if this search fails (I3).
struct SiblingIndex {
    private let siblings: [any StateRestoring]
    private let parent: (any StateRestoring)?
    private let records: SceneRecords
    private var nextSiblingIndex = 0
    /// Indexes of the siblings, keyed by identifier.
    ///
    /// Among siblings with the same identifier, the preserved sibling comes first.
    private var indicesByIdentifier: [RestorationIdentifier: [Int]]?

    /// Creates a list of all objects below a parent, with or without identifiers.
    ///
    /// If the parent is `nil`, the objects are roots.
    init(
        _ siblings: [any StateRestoring], below parent: (any StateRestoring)?,
        records: SceneRecords
    ) {
        self.siblings = siblings
        self.parent = parent
        self.records = records
    }

    /// Number of objects.
    var count: Int { siblings.count }

    /// Finds the object for a record by its identifier and kind.
    ///
    /// If several siblings have the identifier (I3), a sibling with the recorded class is preferred, followed by a
    /// sibling with a subclass of the recorded class.
    ///
    /// - Returns: The object, or `nil` if no object matches or every matching object has already been restored.
    mutating func find(
        _ header: ObjectHeader, _ classComparison: inout ClassComparison
    ) -> (any StateRestoring)? {
        if siblings.isEmpty { return nil }
        if indicesByIdentifier == nil, let object = findNext(header, &classComparison) {
            return object
        }
        let indicesByIdentifier = self.indicesByIdentifier ?? makeIndicesByIdentifier()
        self.indicesByIdentifier = indicesByIdentifier
        let candidates = indicesByIdentifier[header.restorationIdentifier, default: []].map {
            siblings[$0]
        }
        .filter {
            $0.restorationKind == header.restorationKind
                && !$0.restoration.isRestored(in: records)
        }
        for wantedMatch in [ClassRegistry.Match.sameClass, .subclass] {
            for object in candidates
            where classComparison.match(object, tokenNumber: header.classToken) == wantedMatch {
                return object
            }
        }
        return candidates.first
    }

    /// Returns the next unrestored sibling with an identifier if it matches the record exactly, or `nil` otherwise.
    ///
    /// The siblings before it cannot match, because they have no identifiers or have already been restored.
    private mutating func findNext(
        _ header: ObjectHeader, _ classComparison: inout ClassComparison
    ) -> (any StateRestoring)? {
        while nextSiblingIndex < siblings.count {
            let object = siblings[nextSiblingIndex]
            let node = object.restoration
            if let identifier = node.identifier, !node.isRestored(in: records) {
                guard identifier == header.restorationIdentifier,
                    object.restorationKind == header.restorationKind,
                    classComparison.match(object, tokenNumber: header.classToken) == .sameClass
                else { return nil }
                nextSiblingIndex += 1
                return object
            }
            nextSiblingIndex += 1
        }
        return nil
    }

    private func makeIndicesByIdentifier() -> [RestorationIdentifier: [Int]] {
        let siblingIdentifiers = SiblingIdentifiers(
            siblings, below: parent?.restoration ?? records.root,
            numbersDuplicates: parent?.allowsDuplicateChildIdentifiers ?? false)
        var indicesByIdentifier: [RestorationIdentifier: [Int]] = [:]
        for (index, name) in siblingIdentifiers.identifiers.enumerated() {
            if let name { indicesByIdentifier[name] = [index] }
        }
        for conflict in siblingIdentifiers.conflicts {
            indicesByIdentifier[conflict.identifier]?.append(conflict.omittedIndex)
        }
        return indicesByIdentifier
    }
}

extension RestorationNode {
    /// Returns whether this launch has already restored the object from one of the given records.
    func isRestored(in records: SceneRecords) -> Bool {
        record.exists && belongs(to: records)
    }
}
