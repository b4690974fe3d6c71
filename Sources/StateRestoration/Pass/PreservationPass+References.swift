// What only references keep (P5, P7, P8), and what nothing keeps any more.
extension PreservationPass {
    /// How often a full pass looks for garbage: taking some away can bring back what had lost its
    /// path to it, and that other things.
    private static let mostCollections = 8

    /// An object refers to these from now on.
    mutating func setReferences(of node: RestorationNode, to references: [RestorationNode]) {
        let before = node.references
        if references.isEmpty, before.isEmpty { return }
        node.references = references
        for node in references {
            node.referrerCount += 1
            if !node.belongs(to: records) { node.isShared = true }
            if !node.isRecorded { recorder.noteUnrecorded(node) }
            if !node.isRecorded || node.isDetached { candidates.append(node) }
        }
        for node in before {
            node.referrerCount -= 1
            if node.isOrphan { released.append(node) }
        }
    }

    /// A full pass looks at every orphan too.
    mutating func visitOrphans() {
        for node in records.root.children where node.isBelow(records.root) && node.isOrphan {
            guard let object = node.object else { continue }
            visits.append(Visit(object, node, encodes: true))
        }
        retryLeftOutOrphans()
    }

    /// Orphans that lost their path to another may have it now.
    private mutating func retryLeftOutOrphans() {
        let root = records.root
        for node in root.leftOut where node.isOrphan {
            node.isOrphan = false
            node.omission = nil
            candidates.append(node)
        }
        root.leftOut.removeAll { $0.omission == nil }
    }

    // MARK: Candidates

    /// Gives a place to what something refers to, or what is registered, and lies in nothing that is
    /// preserved.
    mutating func settleCandidates() -> Bool {
        if records.takeFreeRootPath() { retryLeftOutOrphans() }
        if candidates.isEmpty { return false }
        let batch = candidates
        candidates = []
        for node in batch { settleCandidate(node) }
        return true
    }

    private mutating func settleCandidate(_ node: RestorationNode) {
        guard node.belongs(to: records), let object = node.object,
            let identifier = node.identifier, node.omission == nil, isReferred(node)
        else { return }
        // What was left out below something that is gone itself by now waits for another pass: it may
        // have been the only one to refer to that, and would bring it back.
        if node.leftOutIn == id { return postponed.append(node) }
        if node.isRecorded, isAttached(node) {
            guard node.isOrphan, node.recordedIdentifier != identifier else { return }
        }
        settleOrphan(object, as: identifier, maySupplant: false)
    }

    /// Of two orphans of one path the one that had it before comes first; when nothing else is left
    /// to look at, it does not come any more.
    mutating func settleContested() -> Bool {
        guard let node = contested.popLast() else { return false }
        guard node.omission == nil, !(node.isRecorded && isAttached(node)),
            let object = node.object, let identifier = node.identifier
        else { return true }
        settleOrphan(object, as: identifier, maySupplant: true)
        return true
    }

    private mutating func settleOrphan(
        _ object: any StateRestoring, as identifier: RestorationIdentifier, maySupplant: Bool
    ) {
        let node = object.restoration
        if let other = standing(at: identifier), other !== node {
            if other.isDetached {
                let mayCome =
                    other.object != nil && other.identifier == identifier && other.omission == nil
                if !maySupplant, mayCome { return contested.append(node) }
            } else {
                return leaveOutOrphan(node, for: other)
            }
        }
        let encodes = !node.isRecorded || isFull
        let isThere = node.isOrphan && node.isRecorded && node.isBelow(records.root)
        // Should what it lies in come back in this pass, it takes the object in again.
        if node.isRecorded, let holder = node.holder { records.markStructure(holder) }
        node.isLookedThrough = object.restorationKind == .view
        if let old = node.recordedIdentifier, rootIndex?[old] === node { rootIndex?[old] = nil }
        settle(node, as: identifier, below: records.root, isOrphan: true)
        if !isThere { records.root.children.append(node) }
        resumeDeferred()
        mayHaveGarbage = true
        rootIndex?[identifier] = node
        if encodes { visits.append(Visit(object, node, encodes: true)) }
    }

    private mutating func leaveOutOrphan(_ node: RestorationNode, for winner: RestorationNode) {
        report(node, losesTo: winner)
        leaveOut(node, below: records.root, .equalSibling)
        node.isOrphan = true
    }

    /// The object that has a path of one component, or had it before this pass.
    private mutating func standing(at identifier: RestorationIdentifier) -> RestorationNode? {
        if let rootIndex { return rootIndex[identifier] }
        var index: [RestorationIdentifier: RestorationNode] = [:]
        for node in records.root.children
        where node.isBelow(records.root) && node.isRecorded && node.belongs(to: records) {
            guard let identifier = node.recordedIdentifier else { continue }
            if let other = index[identifier], !other.isDetached { continue }
            index[identifier] = node
        }
        rootIndex = index
        return index[identifier]
    }

    // MARK: What nothing keeps

    /// Settles what is not at its place any more: what something refers to becomes an orphan, and the
    /// rest loses its record.
    mutating func settleDetached() -> Bool {
        for node in released
        where node.belongs(to: records) && node.isOrphan && node.isRecorded && !isReferred(node) {
            detach(node)
        }
        released = []
        detached.removeAll { !$0.isDetached || !$0.belongs(to: records) }
        if detached.isEmpty { return false }
        let lost = detached.flatMap { subtree($0) }
        let orphans = referredOnlyFromOutside(lost)
        if !orphans.isEmpty {
            candidates += orphans
            return true
        }
        detached = []
        for node in lost { forget(node) }
        dropUnclaimed(below: lost)
        if lost.contains(where: { $0.isBelow(records.root) }) {
            records.root.children.removeAll { !$0.isRecorded }
            rootIndex = nil
            records.noteFreeRootPath()
        }
        return true
    }

    /// Finds, in a full pass, the orphans that only refer to each other, and registered objects
    /// that are gone (P18).
    mutating func collectGarbage() -> Bool {
        guard isFull, mayHaveGarbage, collections < Self.mostCollections else { return false }
        mayHaveGarbage = false
        collections += 1
        let orphans = records.root.children.filter {
            $0.isBelow(records.root) && $0.isOrphan && $0.isRecorded
        }
        if orphans.isEmpty { return false }
        let reached = reachable()
        for node in orphans where !reached.contains(ObjectIdentifier(node)) { detach(node) }
        return !detached.isEmpty
    }

    /// Everything that lies in the window's tree, is registered, or is referred to by such.
    private func reachable() -> Set<ObjectIdentifier> {
        let root = records.root
        var reached: Set<ObjectIdentifier> = []
        var waiting = root.references
        for node in root.children where node.isBelow(root) {
            let isKept = node.isRegistered(in: records) && node.object != nil
            if !node.isOrphan || isKept { waiting.append(node) }
        }
        while let node = waiting.popLast() {
            guard node.belongs(to: records), node.isRecorded,
                reached.insert(ObjectIdentifier(node)).inserted
            else { continue }
            waiting += node.references
            waiting += node.children.filter { $0.isBelow(node) }
        }
        return reached
    }

    /// An object and everything that is recorded below it.
    private func subtree(_ top: RestorationNode) -> [RestorationNode] {
        var result: [RestorationNode] = []
        var waiting = [top]
        while let node = waiting.popLast() {
            guard node.isRecorded, node === top || !node.isDetached else { continue }
            result.append(node)
            waiting += node.children.reversed().filter {
                $0.isBelow(node) && $0.belongs(to: records)
            }
        }
        return result
    }

    /// Those of some objects that something else refers to, the outermost alone.
    private func referredOnlyFromOutside(_ lost: [RestorationNode]) -> [RestorationNode] {
        for node in lost { for other in node.references { other.referrerCount -= 1 } }
        var result: [RestorationNode] = []
        var found: Set<ObjectIdentifier> = []
        for node in lost {
            // Parents come first, so what lies below one that was found is passed over.
            if let holder = node.holder, found.contains(ObjectIdentifier(holder)), !node.isDetached
            {
                found.insert(ObjectIdentifier(node))
            } else if node.identifier != nil, node.object != nil, node.omission == nil,
                node.leftOutIn != id,
                isReferred(node)
            {
                found.insert(ObjectIdentifier(node))
                result.append(node)
            }
        }
        for node in lost { for other in node.references { other.referrerCount += 1 } }
        return result
    }

    /// Whether something that is preserved refers to an object, or it is registered.
    private func isReferred(_ node: RestorationNode) -> Bool {
        if node.isRegistered(in: records) { return node.object != nil }
        guard node.referrerCount > 0 else { return false }
        return node.isShared ? isReferredInScene(node) : true
    }

    /// Whether an object of this scene refers to one that another scene may refer to as well.
    private func isReferredInScene(_ target: RestorationNode) -> Bool {
        var waiting = [records.root]
        while let node = waiting.popLast() {
            if node.references.contains(where: { $0 === target }) { return true }
            waiting += node.children.filter { $0.isBelow(node) && !$0.isDetached }
        }
        return false
    }

    /// An object has no record any more. What it has not taken in since a restore keeps its record,
    /// which waits for another launch (R16).
    private mutating func forget(_ node: RestorationNode) {
        recorder.forget(node)
        for other in node.references {
            other.referrerCount -= 1
            if other.isOrphan { released.append(other) }
        }
        node.references = []
        for other in node.leftOut where other.isBelow(node) {
            other.omission = nil
            candidates.append(other)
        }
        node.leftOut = []
        node.children = []
        if node.isUnlinked { keepUnclaimed(node) }
        records.release(node)
        node.isRecorded = false
        node.isDetached = false
        if node.omission == nil { node.isOrphan = false }
        node.recordedIdentifier = nil
        node.encodedIn = 0
    }

    /// An object that was made for a restore, and that nothing took in: its record waits (R16).
    private mutating func keepUnclaimed(_ node: RestorationNode) {
        guard let header = records.unlinked[node.number] else { return }
        let isTop = node.holder?.isUnlinked != true
        let launches = (records.earlierLaunches[node.number] ?? 0) + 1
        if isTop, launches > SceneRecords.mostLaunches {
            recorder.remove(node.number)
        } else {
            records.keepUnclaimed(header, launches: isTop ? launches : 0)
        }
        node.isSaved = false
        node.fingerprint = 0
    }

    /// What no launch could place goes with what it stood below, and is told.
    private mutating func dropUnclaimed(below lost: [RestorationNode]) {
        let removed = lost.filter { !$0.isUnlinked }
        guard !records.unclaimed.isEmpty, let first = removed.first else { return }
        let gone = records.unclaimed.removeAll(below: Set(removed.map(\.number)))
        if gone.isEmpty { return }
        recorder.report(.unclaimedRemoved(path: records.path(of: first), identifiers: gone))
    }
}
