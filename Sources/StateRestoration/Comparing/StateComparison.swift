import ExactText

/// A comparison of two saved states of an application, value by value.
///
/// Objects and references are identified by scene and path, not by record number. Keys and classes are identified by
/// name. Invalid values are compared byte by byte.
package struct StateComparison {
    /// Maximum number of listed differences.
    package static let maximumListedDifferences = 10_000
    /// Maximum size in bytes of a value that is listed in full. For a larger value, only the size is listed.
    package static let maximumListedValueBytes = 16 << 10
    /// Maximum total size in bytes of the values in the listed differences.
    private static let maximumBytes = 4 << 20

    /// One of the two states.
    package struct Side {
        fileprivate let scenes: [(name: String, scene: ComparedScene)]

        /// Creates a side from saved scenes.
        ///
        /// - Parameters:
        ///   - scenes: The name and the saved state of each scene.
        ///   - names: The names to which the records refer, keyed by number.
        package init(
            _ scenes: [(name: RestorationIdentifier, saved: SavedScene)], names: [UInt32: String]
        ) {
            self.scenes = scenes.map { ($0.name.text, ComparedScene($0.saved, names: names)) }
                .sorted { $0.name < $1.name }
        }
    }

    /// Kinds of change that count as a difference.
    package enum CountedChanges: Sendable {
        /// Every change.
        case all
        /// Changes that are relevant to the history (see ``StateEncoder/excludeFromHistory(forKey:)``).
        case history
        /// Changes that are relevant to the history, other than the closing or reopening of a scene.
        case historyIgnoringInUse
    }

    private let maximumDifferences: Int
    /// Kinds of change that count as a difference.
    private let countedChanges: CountedChanges
    private var differences = StateDifferences()
    /// Name of the scene that is being compared.
    private var sceneName = ""
    /// Total size in bytes of the values in the differences so far.
    private var totalByteCount = 0

    /// Returns the differences between two states.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of listed differences.
    ///   - counting: The kinds of change that count as a difference.
    package static func differences(
        from old: Side, to new: Side, limit: Int = maximumListedDifferences,
        counting: CountedChanges = .all
    ) -> StateDifferences {
        var comparison = StateComparison(
            maximumDifferences: limit, countedChanges: counting)
        let pairs = pairs(old.scenes[...], new.scenes[...], by: \.name)
        for (old, new) in pairs {
            comparison.sceneName = old?.name ?? new?.name ?? ""
            comparison.compare(old?.scene, new?.scene)
        }
        return comparison.differences
    }

    // MARK: Scenes

    /// A pending comparison of an object or of the scene itself. It may exist in only one of the states.
    private struct Step {
        var path: String?
        var oldIndex: Int?
        var newIndex: Int?
    }

    private mutating func compare(_ old: ComparedScene?, _ new: ComparedScene?) {
        // An explicit stack is used because a forged archive could be nested deeper than the thread's stack
        // allows.
        var pendingSteps = [
            Step(
                oldIndex: old.map { _ in RecordTree.noParent },
                newIndex: new.map { _ in RecordTree.noParent })
        ]
        while let step = pendingSteps.popLast() {
            compare(
                step.oldIndex.flatMap { old?.object(at: $0) },
                step.newIndex.flatMap { new?.object(at: $0) },
                at: step.path)
            let childPairs = Self.pairs(
                step.oldIndex.flatMap { old?.children(of: $0) } ?? [],
                step.newIndex.flatMap { new?.children(of: $0) } ?? [], by: \.identifier)
            for (old, new) in childPairs.reversed() {
                let identifier = old?.identifier ?? new?.identifier ?? ""
                pendingSteps.append(
                    Step(
                        path: Self.path(identifier, below: step.path), oldIndex: old?.recordIndex,
                        newIndex: new?.recordIndex))
            }
        }
    }

    /// Returns the path of a child in its written form.
    ///
    /// A path that is too long (I2) ends in an ellipsis.
    private static func path(_ identifier: String, below path: String?) -> String {
        guard let path else { return identifier }
        guard path.utf8.count + identifier.utf8.count < RestorationPath.maximumBytes else {
            return path.hasSuffix("/…") ? path : "\(path)/…"
        }
        return "\(path)/\(identifier)"
    }

    /// Pairs elements that have the same name.
    ///
    /// Both lists must be sorted by the bytes of the names.
    private static func pairs<Element>(
        _ old: ArraySlice<Element>, _ new: ArraySlice<Element>, by name: (Element) -> String
    ) -> [(old: Element?, new: Element?)] {
        func isOrdered(_ element: Element?, notAfter other: Element?) -> Bool {
            guard let element else { return false }
            guard let other else { return true }
            return !(name(other) < name(element))
        }
        var (old, new) = (old, new)
        var pairs: [(old: Element?, new: Element?)] = []
        while !old.isEmpty || !new.isEmpty {
            let takesOld = isOrdered(old.first, notAfter: new.first)
            let takesNew = isOrdered(new.first, notAfter: old.first)
            pairs.append((takesOld ? old.removeFirst() : nil, takesNew ? new.removeFirst() : nil))
        }
        return pairs
    }

    // MARK: Objects

    private mutating func compare(_ old: ComparedObject?, _ new: ComparedObject?, at path: String?)
    {
        switch (old, new) {
        case (nil, let new?): add(.appeared(class: new.traits[.class]), path)
        case (let old?, nil): add(.disappeared(class: old.traits[.class]), path)
        case (let old?, let new?):
            for trait in StateDifference.Trait.allCases
            where old.traits[trait] != new.traits[trait] {
                if countedChanges == .historyIgnoringInUse, trait == .inUse { continue }
                add(.trait(trait, from: old.traits[trait], to: new.traits[trait]), path)
            }
        case (nil, nil): return
        }
        let keys = Set(old.map { Array($0.values.keys) } ?? []).union(new?.values.keys ?? [:].keys)
        for key in keys.sorted() {
            let oldValue = old?.values[key]
            let newValue = new?.values[key]
            if let oldValue, let newValue, oldValue.value == newValue.value { continue }
            if countedChanges != .all, new?.keysExcludedFromHistory.contains(key) == true {
                continue
            }
            add(
                .value(key: key.text, from: oldValue?.content, to: newValue?.content), path,
                byteCount: (oldValue?.listedByteCount ?? 0) + (newValue?.listedByteCount ?? 0))
        }
        if old?.unreadableBytes ?? [] != new?.unreadableBytes ?? [] { add(.unreadable, path) }
    }

    private mutating func add(
        _ change: StateDifference.Change, _ path: String?, byteCount: Int = 0
    ) {
        totalByteCount += byteCount
        if differences.listedDifferences.count < maximumDifferences,
            totalByteCount <= Self.maximumBytes
        {
            differences.listedDifferences.append(
                StateDifference(scene: sceneName, path: path, change: change))
        } else {
            differences.unlistedCount += 1
        }
    }
}
