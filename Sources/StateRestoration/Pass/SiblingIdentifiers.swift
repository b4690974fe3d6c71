/// Identifiers under which siblings are recorded (I1, I3).
struct SiblingIdentifiers {
    /// Two siblings with the same identifier, represented by their indexes.
    struct Conflict {
        let identifier: RestorationIdentifier
        let preservedIndex: Int
        let omittedIndex: Int
    }

    /// Recorded identifier of each sibling, or `nil` if the sibling is not recorded.
    private(set) var identifiers: [RestorationIdentifier?]
    /// Pairs of siblings with the same identifier. One sibling in each pair is omitted.
    private(set) var conflicts: [Conflict] = []

    /// Determines the identifiers of siblings, in the order of the siblings.
    ///
    /// - Parameter numbersDuplicates: Whether view controllers with equal identifiers are distinguished by their
    ///   order.
    init(_ siblings: [any StateRestoring], below parent: RestorationNode, numbersDuplicates: Bool) {
        identifiers = siblings.map { $0.restoration.identifier }
        guard identifiers.count > 1 else { return }
        var indices: [RestorationIdentifier: Int] = [:]
        indices.reserveCapacity(identifiers.count)
        var counts: [RestorationIdentifier: Int] = [:]
        for (index, identifier) in identifiers.enumerated() {
            guard let identifier else { continue }
            guard let currentIndex = indices.updateValue(index, forKey: identifier) else {
                continue
            }
            if numbersDuplicates, siblings[index].restorationKind == .viewController,
                siblings[currentIndex].restorationKind == .viewController
            {
                let count = counts[identifier, default: 1] + 1
                counts[identifier] = count
                identifiers[index] = RestorationIdentifier(identifier, ordinal: count)
                continue
            }
            // The sibling that was preserved earlier keeps the path.
            let isRecordedEarlier = siblings[index].restoration.isRecorded(
                at: identifier, below: parent)
            let preservedIndex = isRecordedEarlier ? index : currentIndex
            let omittedIndex = isRecordedEarlier ? currentIndex : index
            indices[identifier] = preservedIndex
            identifiers[omittedIndex] = nil
            conflicts.append(
                Conflict(
                    identifier: identifier, preservedIndex: preservedIndex,
                    omittedIndex: omittedIndex))
        }
    }
}

extension RestorationNode {
    /// Returns whether the object is recorded at a position.
    func isRecorded(
        at identifier: RestorationIdentifier, below parent: RestorationNode
    ) -> Bool {
        record.exists && !passState.isDetached && isDirectlyBelow(parent)
            && record.identifier == identifier
    }
}
