import StateRecords

/// A search for existing objects at the paths of their records (R3).
///
/// Loading one object can create others, so the search relists the siblings of an object that is not found. If nothing
/// indicates that new objects exist, ``remainingRelistCount`` limits the number of relisted objects.
struct ExistingObjects {
    private struct Level {
        /// Index of the parent's record, or ``RecordTree/noParent`` for roots.
        let parentIndex: Int
        var siblingIndex: SiblingIndex
        /// Structure version of the parent when its children were listed.
        var structureVersion: UInt32
    }

    private let scene: Scene
    private let objects: RestoredObjects
    /// Root object of the window at the last refresh, or `nil` if there was none.
    private var root: (any StateRestoring)?
    /// Number of the scene's registrations at the last refresh.
    private var registrationCount = 0
    private var misplacedRoots: MisplacedRoots?
    /// Levels that were used by the last search, each below the preceding level.
    private var levels: [Level] = []
    /// Number of objects that the search may still relist without evidence of new objects.
    private var remainingRelistCount = 1 << 18

    init(scene: Scene, objects: RestoredObjects) {
        self.scene = scene
        self.objects = objects
        refreshLiveObjects()
    }

    /// Returns the object at a record's path.
    ///
    /// Callers must request parents before children, and all children of one parent before the next parent.
    ///
    /// - Returns: The object, or `nil` if there is none or if it has already been restored from another record.
    mutating func object(
        at index: Int, _ header: ObjectHeader, _ classComparison: inout ClassComparison
    ) -> (any StateRestoring)? {
        guard let kind = header.restorationKind else { return nil }
        let parentIndex = objects.tree.parentIndices[index]
        if parentIndex == RecordTree.noParent, root !== scene.delegate.restorationRoot {
            refreshLiveObjects()
            levels.removeAll()
        }
        openLevel(parentIndex)
        let topLevelIndex = levels.count - 1
        if let object = levels[topLevelIndex].siblingIndex.find(header, &classComparison) {
            return object
        }
        if shouldListAgain(levels[topLevelIndex], kind) {
            levels[topLevelIndex] = makeLevel(below: parentIndex)
            if let object = levels[topLevelIndex].siblingIndex.find(header, &classComparison) {
                return object
            }
        }
        return parentIndex == RecordTree.noParent
            ? findMisplacedRoot(header.restorationIdentifier, kind) : nil
    }

    /// Makes the level below the given parent the last level.
    ///
    /// Levels that are not below the parent or one of its ancestors are removed.
    private mutating func openLevel(_ parentIndex: Int) {
        while let lastIndex = levels.indices.last,
            !isAncestor(levels[lastIndex].parentIndex, of: parentIndex)
        {
            levels.removeLast()
        }
        if let lastIndex = levels.indices.last, levels[lastIndex].parentIndex == parentIndex {
            return
        }
        levels.append(makeLevel(below: parentIndex))
    }

    private func isAncestor(_ index: Int, of descendantIndex: Int) -> Bool {
        index == RecordTree.noParent
            || (index..<objects.tree.subtreeEnds[index]).contains(descendantIndex)
    }

    private func makeLevel(below index: Int) -> Level {
        guard index != RecordTree.noParent, let parent = objects[index] else {
            let siblingIndex = SiblingIndex(scene.liveRoots, below: nil, records: scene.records)
            return Level(parentIndex: index, siblingIndex: siblingIndex, structureVersion: 0)
        }
        let structureVersion = parent.restoration.structureVersion
        let siblingIndex = SiblingIndex(
            scene.liveChildren(of: parent), below: parent, records: scene.records)
        return Level(
            parentIndex: index, siblingIndex: siblingIndex, structureVersion: structureVersion)
    }

    private mutating func shouldListAgain(_ level: Level, _ kind: RestorationKind) -> Bool {
        if registrationCount != scene.registrations.registrationCount,
            kind == .object || level.parentIndex == RecordTree.noParent
        {
            refreshLiveObjects()
            return true
        }
        if level.parentIndex != RecordTree.noParent,
            objects[level.parentIndex]?.restoration.structureVersion != level.structureVersion
        {
            return true
        }
        guard level.siblingIndex.count <= remainingRelistCount else { return false }
        remainingRelistCount -= level.siblingIndex.count
        if level.parentIndex == RecordTree.noParent { refreshLiveObjects() }
        return true
    }

    private mutating func refreshLiveObjects() {
        if registrationCount != scene.registrations.registrationCount { misplacedRoots = nil }
        scene.registrations.refresh()
        root = scene.delegate.restorationRoot
        registrationCount = scene.registrations.registrationCount
    }

    /// Returns an object that may have been recorded as a root but is not a live root, or `nil` if there is none.
    private mutating func findMisplacedRoot(
        _ identifier: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        if let object = misplacedRoots?.object(identifier, kind) { return object }
        if let count = misplacedRoots?.checkedObjectCount {
            guard count <= remainingRelistCount else { return nil }
            remainingRelistCount -= count
        }
        misplacedRoots = MisplacedRoots(scene)
        return misplacedRoots?.object(identifier, kind)
    }
}
