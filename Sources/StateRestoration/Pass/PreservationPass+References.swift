import StateRecords

// Orphans, which are objects preserved only because of references (P5, P7, P8), and removal of objects that
// are no longer preserved.
extension PreservationPass {
    /// Maximum number of garbage collections in a full pass.
    ///
    /// Removing an orphan can free its path for another object, which can in turn preserve further objects.
    private static let maximumCollections = 8

    /// Sets the objects that an object refers to.
    mutating func setReferences(of node: RestorationNode, to references: [RestorationNode]) {
        let before = node.links.references
        if references.isEmpty, before.isEmpty { return }
        records.hasReferences = true
        node.links.references = references
        for node in references {
            node.links.referrerCount += 1
            if !node.belongs(to: records) { node.links.isShared = true }
            if !node.record.exists { recorder.referred.append(node) }
            if !node.record.exists || node.marks.isDetached { candidates.append(node) }
        }
        for node in before {
            node.links.referrerCount -= 1
            if node.record.isOrphan { released.append(node) }
        }
    }

    /// Visits every orphan in a full pass.
    mutating func visitOrphans() {
        for node in records.root.links.children
        where node.isBelow(records.root) && node.record.isOrphan {
            guard let object = node.object else { continue }
            visits.append(Visit(object: object, node: node, encodes: true))
        }
        retryLeftOutOrphans()
    }

    /// Retries orphans that were omitted because another object had their path.
    private mutating func retryLeftOutOrphans() {
        let root = records.root
        for node in root.links.leftOut where node.record.isOrphan {
            node.record.isOrphan = false
            node.record.omission = nil
            candidates.append(node)
        }
        root.links.leftOut.removeAll { $0.record.omission == nil }
    }

    // MARK: Candidates

    /// Assigns paths to objects that are referenced or registered but are not below a preserved object.
    mutating func placeCandidates() -> Bool {
        if records.request.isRootPathFree {
            records.request.isRootPathFree = false
            retryLeftOutOrphans()
        }
        if candidates.isEmpty { return false }
        let batch = candidates
        candidates = []
        for node in batch { placeCandidate(node) }
        return true
    }

    private mutating func placeCandidate(_ node: RestorationNode) {
        guard node.belongs(to: records), let object = node.object,
            let identifier = node.identifier, node.record.omission == nil, isReferred(node)
        else { return }
        // An object that was omitted below an object removed in this pass is postponed to the next pass. It
        // may contain the only reference to the removed object, which would then be preserved again.
        if node.marks.leftOutIn == id { return postponed.append(node) }
        if node.record.exists, isAttached(node) {
            guard node.record.isOrphan, node.record.identifier != identifier else { return }
        }
        placeOrphan(object, as: identifier, maySupplant: false)
    }

    /// Places an orphan whose path belonged to another orphan before this pass.
    ///
    /// The earlier orphan takes precedence while visits remain, because it cannot be placed afterward.
    mutating func placeContested() -> Bool {
        guard let node = contested.popLast() else { return false }
        guard node.record.omission == nil, !(node.record.exists && isAttached(node)),
            let object = node.object, let identifier = node.identifier
        else { return true }
        placeOrphan(object, as: identifier, maySupplant: true)
        return true
    }

    private mutating func placeOrphan(
        _ object: any StateRestoring, as identifier: RestorationIdentifier, maySupplant: Bool
    ) {
        let node = object.restoration
        if let other = rootObject(at: identifier), other !== node {
            if other.marks.isDetached {
                let mayCome =
                    other.object != nil && other.identifier == identifier
                    && other.record.omission == nil
                if !maySupplant, mayCome { return contested.append(node) }
            } else {
                report(node, losesTo: other)
                leaveOut(node, below: records.root, .equalSibling)
                return node.record.isOrphan = true
            }
        }
        let encodes = !node.record.exists || isFull
        let isThere = node.record.isOrphan && node.record.exists && node.isBelow(records.root)
        // If the object's holder is placed again in this pass, the holder lists the object again.
        if node.record.exists, let holder = node.holder { records.markStructure(holder) }
        if let old = node.record.identifier, rootIndex?[old] === node { rootIndex?[old] = nil }
        setPlace(of: node, as: identifier, below: records.root, isOrphan: true)
        if !isThere { records.root.links.children.append(node) }
        resumeDeferred()
        mayHaveGarbage = true
        rootIndex?[identifier] = node
        if encodes { visits.append(Visit(object: object, node: node, encodes: true)) }
    }

    /// Returns the object with a root path, or `nil` if no object has the path.
    ///
    /// An object that lost the path during this pass is also returned, unless another object has the path.
    private mutating func rootObject(at identifier: RestorationIdentifier) -> RestorationNode? {
        if let rootIndex { return rootIndex[identifier] }
        var index: [RestorationIdentifier: RestorationNode] = [:]
        for node in records.root.links.children
        where node.isBelow(records.root) && node.record.exists && node.belongs(to: records) {
            guard let identifier = node.record.identifier else { continue }
            if let other = index[identifier], !other.marks.isDetached { continue }
            index[identifier] = node
        }
        rootIndex = index
        return index[identifier]
    }

    // MARK: Removed objects

    /// Turns detached objects that are referenced into orphans, and removes the records of other detached objects.
    mutating func removeDetached() -> Bool {
        for node in released
        where node.belongs(to: records) && node.record.isOrphan && node.record.exists
            && !isReferred(node)
        {
            detach(node)
        }
        released = []
        detached.removeAll { !$0.marks.isDetached || !$0.belongs(to: records) }
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
        removeDeparted()
        if lost.contains(where: { $0.isBelow(records.root) }) {
            records.root.links.children.removeAll { !$0.record.exists }
            rootIndex = nil
            records.markRootPathFree()
        }
        return true
    }

    /// Detaches orphans that are no longer reachable (P18), in a full pass.
    ///
    /// Such orphans refer only to each other, or their objects no longer exist.
    mutating func collectGarbage() -> Bool {
        guard isFull, mayHaveGarbage, collections < Self.maximumCollections else { return false }
        mayHaveGarbage = false
        collections += 1
        let orphans = records.root.links.children.filter {
            $0.isBelow(records.root) && $0.record.isOrphan && $0.record.exists
        }
        if orphans.isEmpty { return false }
        let reached = reachable()
        for node in orphans where !reached.contains(ObjectIdentifier(node)) { detach(node) }
        return !detached.isEmpty
    }

    /// Returns the objects that are in the window's tree or registered, and all objects reachable from them.
    private func reachable() -> Set<ObjectIdentifier> {
        let root = records.root
        var reached: Set<ObjectIdentifier> = []
        var waiting = root.links.references
        for node in root.links.children where node.isBelow(root) {
            let isKept = node.isRegistered(in: records) && node.object != nil
            if !node.record.isOrphan || isKept { waiting.append(node) }
        }
        while let node = waiting.popLast() {
            guard node.belongs(to: records), node.record.exists,
                reached.insert(ObjectIdentifier(node)).inserted
            else { continue }
            waiting += node.links.references
            waiting += node.links.children.filter { $0.isBelow(node) }
        }
        return reached
    }

    /// Returns an object and all recorded objects below it.
    private func subtree(_ top: RestorationNode) -> [RestorationNode] {
        var result: [RestorationNode] = []
        var waiting = [top]
        while let node = waiting.popLast() {
            guard node.record.exists, node === top || !node.marks.isDetached else { continue }
            result.append(node)
            waiting += node.links.children.reversed().filter {
                $0.isBelow(node) && $0.belongs(to: records)
            }
        }
        return result
    }

    /// Returns the outermost of the given objects to which other objects refer.
    private func referredOnlyFromOutside(_ lost: [RestorationNode]) -> [RestorationNode] {
        for node in lost { for other in node.links.references { other.links.referrerCount -= 1 } }
        var result: [RestorationNode] = []
        var found: Set<ObjectIdentifier> = []
        for node in lost {
            // Parents come first, so objects below one that has been found are skipped.
            if let holder = node.holder, found.contains(ObjectIdentifier(holder)),
                !node.marks.isDetached
            {
                found.insert(ObjectIdentifier(node))
            } else if node.identifier != nil, node.object != nil, node.record.omission == nil,
                node.marks.leftOutIn != id,
                isReferred(node)
            {
                found.insert(ObjectIdentifier(node))
                result.append(node)
            }
        }
        for node in lost { for other in node.links.references { other.links.referrerCount += 1 } }
        return result
    }

    /// Returns whether an object is registered, or a preserved object refers to it.
    private func isReferred(_ node: RestorationNode) -> Bool {
        if node.isRegistered(in: records) { return node.object != nil }
        guard node.links.referrerCount > 0 else { return false }
        return node.links.isShared ? isReferredInScene(node) : true
    }

    /// Returns whether an object of this scene refers to a target that other scenes may also refer to.
    private func isReferredInScene(_ target: RestorationNode) -> Bool {
        var waiting = [records.root]
        while let node = waiting.popLast() {
            if node.links.references.contains(where: { $0 === target }) { return true }
            waiting += node.links.children.filter { $0.isBelow(node) && !$0.marks.isDetached }
        }
        return false
    }

    /// Removes the record of an object.
    ///
    /// If an object was created for a restoration but never linked, its record is retained for another launch (R16).
    private mutating func forget(_ node: RestorationNode) {
        recorder.forget(node)
        for other in node.links.references {
            other.links.referrerCount -= 1
            if other.record.isOrphan { released.append(other) }
        }
        node.links.references = []
        for other in node.links.leftOut where other.isBelow(node) {
            other.record.omission = nil
            candidates.append(other)
        }
        node.links.leftOut = []
        node.links.children = []
        if node.record.isUnlinked { retainUnclaimed(node) }
        records.dropUnrestoredState(of: node)
        node.record.exists = false
        node.marks.isDetached = false
        if node.record.omission == nil { node.record.isOrphan = false }
        node.record.identifier = nil
        node.marks.encodedIn = 0
    }

    /// Retains the record of an object that was created for a restoration but never linked (R16).
    private mutating func retainUnclaimed(_ node: RestorationNode) {
        guard let header = records.unlinked[node.record.number] else { return }
        let isTop = node.holder?.record.isUnlinked != true
        let launches =
            (records.earlierLaunches[node.record.number] ?? 0) + (records.isLaunchCounted ? 1 : 0)
        if isTop, launches > SceneRecords.maximumLaunches {
            recorder.output.records.removals.append(node.record.number.rawValue)
        } else {
            records.unclaimed.insert(header, launches: isTop ? launches : 0)
        }
        node.record.isSaved = false
        node.record.fingerprint = 0
    }

    /// Removes the unclaimed records below removed objects, and reports them.
    private mutating func dropUnclaimed(below lost: [RestorationNode]) {
        let removed = lost.filter { !$0.record.isUnlinked }
        guard !records.unclaimed.isEmpty, let first = removed.first else { return }
        let gone = records.unclaimed.removeAll(below: Set(removed.map(\.record.number)))
        if gone.isEmpty { return }
        recorder.output.diagnostics.append(
            .unclaimedRemoved(path: records.path(of: first), identifiers: gone))
    }
}
