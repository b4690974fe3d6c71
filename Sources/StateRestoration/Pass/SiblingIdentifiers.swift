/// Identifiers under which siblings are recorded (I1, I3).
struct SiblingIdentifiers {
    /// Two siblings with the same identifier, given by their indexes.
    struct Conflict {
        let identifier: RestorationIdentifier
        let kept: Int
        let leftOut: Int
    }

    /// Recorded identifier of each sibling, or `nil` if the sibling is not recorded.
    private(set) var identifiers: [RestorationIdentifier?]
    /// Pairs of siblings with the same identifier. One sibling of each pair is omitted.
    private(set) var conflicts: [Conflict] = []

    /// - Parameter numbered: Whether view controllers with equal identifiers are distinguished by their
    ///   order.
    init(_ siblings: [any StateRestoring], below parent: RestorationNode, numbered: Bool) {
        identifiers = siblings.map { $0.restoration.identifier }
        guard identifiers.count > 1 else { return }
        var holders: [RestorationIdentifier: Int] = [:]
        holders.reserveCapacity(identifiers.count)
        var counts: [RestorationIdentifier: Int] = [:]
        for (index, identifier) in identifiers.enumerated() {
            guard let identifier else { continue }
            guard let holder = holders.updateValue(index, forKey: identifier) else { continue }
            if numbered, siblings[index].restorationKind == .viewController,
                siblings[holder].restorationKind == .viewController
            {
                let count = counts[identifier, default: 1] + 1
                counts[identifier] = count
                identifiers[index] = RestorationIdentifier(identifier, ordinal: count)
                continue
            }
            // The sibling that was preserved earlier keeps the path.
            let isEarlier = siblings[index].restoration.stands(at: identifier, below: parent)
            let kept = isEarlier ? index : holder
            let leftOut = isEarlier ? holder : index
            holders[identifier] = kept
            identifiers[leftOut] = nil
            conflicts.append(Conflict(identifier: identifier, kept: kept, leftOut: leftOut))
        }
    }
}

extension RestorationNode {
    /// Returns whether the object is recorded at a position.
    fileprivate func stands(
        at identifier: RestorationIdentifier, below parent: RestorationNode
    ) -> Bool {
        record.exists && !marks.isDetached && isBelow(parent) && record.identifier == identifier
    }
}
