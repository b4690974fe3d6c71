import StateRecords

// Handles orphans, which are preserved only because other objects refer to them (P5, P7, P8), and removes objects that
// are no longer preserved.
extension PreservationPass {
    /// Maximum number of garbage collections in a full pass.
    ///
    /// Removing an orphan can free its path for another object, which can in turn preserve further objects.
    private static let maximumGarbageCollections = 8

    /// Updates the list of objects to which an object refers.
    mutating func setReferences(of node: RestorationNode, to references: [RestorationNode]) {
        let previousReferences = node.references
        if references.isEmpty, previousReferences.isEmpty { return }
        records.hasReferences = true
        node.references = references
        for node in references {
            node.links.incomingReferenceCount += 1
            if !node.belongs(to: records) { node.links.isLinkedAcrossScenes = true }
            if !node.record.exists { recorder.unrecordedReferences.append(node) }
            if !node.record.exists || node.passState.isDetached { orphanCandidates.append(node) }
        }
        for node in previousReferences {
            node.links.incomingReferenceCount -= 1
            if node.record.isOrphan { releasedOrphans.append(node) }
        }
    }

    /// Schedules a visit to every orphan, as part of a full pass.
    mutating func scheduleOrphanVisits() {
        for node in records.root.links.children
        where node.isDirectlyBelow(records.root) && node.record.isOrphan {
            guard let object = node.object else { continue }
            visits.append(Visit(object: object, node: node, encodes: true))
        }
        retryOmittedOrphans()
    }

    /// Schedules another attempt to place the orphans that were omitted because another object had their path.
    private mutating func retryOmittedOrphans() {
        let root = records.root
        for node in root.omittedChildren where node.record.isOrphan {
            node.record.isOrphan = false
            node.record.omission = nil
            orphanCandidates.append(node)
        }
        root.omittedChildren.removeAll { $0.record.omission == nil }
    }

    // MARK: Candidates

    /// Assigns root paths to referenced or registered objects that are not below a preserved object.
    ///
    /// - Returns: `false` if there was nothing to do.
    mutating func placeCandidates() -> Bool {
        if records.request.isRootPathFree {
            records.request.isRootPathFree = false
            retryOmittedOrphans()
        }
        if orphanCandidates.isEmpty { return false }
        let candidateBatch = orphanCandidates
        orphanCandidates = []
        for node in candidateBatch { placeCandidate(node) }
        return true
    }

    private mutating func placeCandidate(_ node: RestorationNode) {
        guard node.belongs(to: records), let object = node.object,
            let identifier = node.identifier, node.record.omission == nil, isReferenced(node)
        else { return }
        // If this pass omitted the object because of a sibling and later removed their parent, the object waits for the
        // next pass. The object may hold the only reference to the parent, which would then be preserved again.
        if node.lastOmittedPass == id { return postponedNodes.append(node) }
        if node.record.exists, isAttached(node) {
            guard node.record.isOrphan, node.record.identifier != identifier else { return }
        }
        placeOrphan(object, as: identifier, mayReplaceDetachedNode: false)
    }

    /// Places an orphan whose path belonged to another object before this pass.
    ///
    /// The pass calls this method only if no visits remain, because a visit may return the other object to the path.
    /// The other object takes precedence.
    ///
    /// - Returns: `false` if there was nothing to do.
    mutating func placeContestedNode() -> Bool {
        guard let node = contestedNodes.popLast() else { return false }
        guard node.record.omission == nil, !(node.record.exists && isAttached(node)),
            let object = node.object, let identifier = node.identifier
        else { return true }
        placeOrphan(object, as: identifier, mayReplaceDetachedNode: true)
        return true
    }

    private mutating func placeOrphan(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        mayReplaceDetachedNode: Bool
    ) {
        let node = object.restoration
        if let otherNode = rootObject(at: identifier), otherNode !== node {
            if otherNode.passState.isDetached {
                let mayBePlacedAgain =
                    otherNode.object != nil && otherNode.identifier == identifier
                    && otherNode.record.omission == nil
                if !mayReplaceDetachedNode, mayBePlacedAgain { return contestedNodes.append(node) }
            } else {
                reportEqualSibling(node, losingTo: otherNode)
                omit(node, below: records.root, .siblingHasSameIdentifier)
                return node.record.isOrphan = true
            }
        }
        let encodes = !node.record.exists || isFullPass
        let isAlreadyPlaced =
            node.record.isOrphan && node.record.exists && node.isDirectlyBelow(records.root)
        // If this pass places the object's parent later, the parent must relist the object.
        if node.record.exists, let parentNode = node.parentNode {
            records.markStructure(parentNode)
        }
        if let oldIdentifier = node.record.identifier,
            rootNodesByIdentifier?[oldIdentifier] === node
        {
            rootNodesByIdentifier?[oldIdentifier] = nil
        }
        setPosition(of: node, as: identifier, below: records.root, isOrphan: true)
        if !isAlreadyPlaced { records.root.links.children.append(node) }
        resumeDeferredVisits()
        mayHaveGarbage = true
        rootNodesByIdentifier?[identifier] = node
        if encodes { visits.append(Visit(object: object, node: node, encodes: true)) }
    }

    /// Returns the object at a root path, or `nil` if there is none.
    ///
    /// An object that this pass has detached from the path is returned only if no other object has the path.
    private mutating func rootObject(at identifier: RestorationIdentifier) -> RestorationNode? {
        if let rootNodesByIdentifier { return rootNodesByIdentifier[identifier] }
        var rootNodes: [RestorationIdentifier: RestorationNode] = [:]
        for node in records.root.links.children
        where node.isDirectlyBelow(records.root) && node.record.exists && node.belongs(to: records)
        {
            guard let identifier = node.record.identifier else { continue }
            if let otherNode = rootNodes[identifier], !otherNode.passState.isDetached { continue }
            rootNodes[identifier] = node
        }
        rootNodesByIdentifier = rootNodes
        return rootNodes[identifier]
    }

    // MARK: Removed objects

    /// Removes the records of detached objects, except for referenced objects, which become orphans.
    ///
    /// - Returns: `false` if there was nothing to do.
    mutating func removeDetachedNodes() -> Bool {
        for node in releasedOrphans
        where node.belongs(to: records) && node.record.isOrphan && node.record.exists
            && !isReferenced(node)
        {
            detach(node)
        }
        releasedOrphans = []
        // An object can be detached, returned to a position and then detached a second time.
        var visitedNodes: Set<ObjectIdentifier> = []
        detachedNodes.removeAll {
            !$0.passState.isDetached || !$0.belongs(to: records)
                || !visitedNodes.insert(ObjectIdentifier($0)).inserted
        }
        if detachedNodes.isEmpty { return false }
        let lostNodes = detachedNodes.flatMap { subtree($0) }
        let orphans = nodesReferencedFromOutside(lostNodes)
        if !orphans.isEmpty {
            orphanCandidates += orphans
            return true
        }
        detachedNodes = []
        for node in lostNodes { removeRecord(node) }
        dropUnclaimedRecords(below: lostNodes)
        pruneRemovedChildren()
        let lostRoots = lostNodes.filter { $0.isDirectlyBelow(records.root) }
        if !lostRoots.isEmpty {
            records.root.links.children.removeAll { !$0.record.exists }
            rootNodesByIdentifier = nil
        }
        for identifier in lostRoots.compactMap(\.record.identifier)
        where rootObject(at: identifier) == nil {
            records.markRootPathFree()
        }
        return true
    }

    /// Detaches orphans that are no longer reachable, if this is a full pass (P18).
    ///
    /// An unreachable orphan is referenced only by other unreachable orphans, or its object no longer exists.
    ///
    /// - Returns: `false` if there was nothing to do.
    mutating func collectGarbage() -> Bool {
        guard isFullPass, mayHaveGarbage, garbageCollectionCount < Self.maximumGarbageCollections
        else {
            return false
        }
        mayHaveGarbage = false
        garbageCollectionCount += 1
        let orphans = records.root.links.children.filter {
            $0.isDirectlyBelow(records.root) && $0.record.isOrphan && $0.record.exists
        }
        if orphans.isEmpty { return false }
        let reachedNodes = reachableNodes()
        for node in orphans where !reachedNodes.contains(ObjectIdentifier(node)) { detach(node) }
        return !detachedNodes.isEmpty
    }

    /// Returns all objects that can be reached from the window's tree, the application-level state or registered
    /// objects.
    private func reachableNodes() -> Set<ObjectIdentifier> {
        let root = records.root
        var reachedNodes: Set<ObjectIdentifier> = []
        var pendingNodes = root.references
        for node in root.links.children where node.isDirectlyBelow(root) {
            let isRetained = node.isRegistered(in: records) && node.object != nil
            if !node.record.isOrphan || isRetained { pendingNodes.append(node) }
        }
        while let node = pendingNodes.popLast() {
            guard node.belongs(to: records), node.record.exists,
                reachedNodes.insert(ObjectIdentifier(node)).inserted
            else { continue }
            pendingNodes += node.references
            pendingNodes += node.links.children.filter { $0.isDirectlyBelow(node) }
        }
        return reachedNodes
    }

    /// Returns an object and all recorded objects below it.
    func subtree(_ topNode: RestorationNode) -> [RestorationNode] {
        var subtreeNodes: [RestorationNode] = []
        var pendingNodes = [topNode]
        while let node = pendingNodes.popLast() {
            guard node.record.exists, node === topNode || !node.passState.isDetached else {
                continue
            }
            subtreeNodes.append(node)
            pendingNodes += node.links.children.reversed().filter {
                $0.isDirectlyBelow(node) && $0.belongs(to: records)
            }
        }
        return subtreeNodes
    }

    /// Returns the objects in a list that are referenced from outside the list.
    ///
    /// If an object is returned, the objects below it are omitted, except for objects that the pass has detached from
    /// their positions.
    private func nodesReferencedFromOutside(_ lostNodes: [RestorationNode]) -> [RestorationNode] {
        for node in lostNodes {
            for referencedNode in node.references {
                referencedNode.links.incomingReferenceCount -= 1
            }
        }
        var referencedNodes: [RestorationNode] = []
        var foundNodes: Set<ObjectIdentifier> = []
        for node in lostNodes {
            // The list contains parents before their children, so objects below a found object are skipped.
            if let parentNode = node.parentNode, foundNodes.contains(ObjectIdentifier(parentNode)),
                !node.passState.isDetached
            {
                foundNodes.insert(ObjectIdentifier(node))
            } else if node.identifier != nil, node.object != nil, node.record.omission == nil,
                node.lastOmittedPass != id,
                isReferenced(node)
            {
                foundNodes.insert(ObjectIdentifier(node))
                referencedNodes.append(node)
            }
        }
        for node in lostNodes {
            for referencedNode in node.references {
                referencedNode.links.incomingReferenceCount += 1
            }
        }
        return referencedNodes
    }

    /// Returns whether an object is registered or referenced by a preserved object.
    func isReferenced(_ node: RestorationNode) -> Bool {
        if node.isRegistered(in: records) { return node.object != nil }
        guard node.links.incomingReferenceCount > 0 else { return false }
        return node.links.isLinkedAcrossScenes ? isReferencedInScene(node) : true
    }

    /// Returns whether any object in this scene refers to a target.
    ///
    /// References from objects in other scenes do not count.
    private func isReferencedInScene(_ target: RestorationNode) -> Bool {
        var pendingNodes = [records.root]
        while let node = pendingNodes.popLast() {
            if node.references.contains(where: { $0 === target }) { return true }
            pendingNodes += node.links.children.filter {
                $0.isDirectlyBelow(node) && !$0.passState.isDetached
            }
        }
        return false
    }

    /// Removes the record of an object.
    ///
    /// If the object was created during restoration but never linked to the object tree, its record is retained for
    /// another launch (R16).
    mutating func removeRecord(_ node: RestorationNode) {
        records.pathIndex.removeAll()
        recorder.removeRecord(node)
        for referencedNode in node.references {
            referencedNode.links.incomingReferenceCount -= 1
            if referencedNode.record.isOrphan { releasedOrphans.append(referencedNode) }
        }
        node.references = []
        for omittedNode in node.omittedChildren where omittedNode.isDirectlyBelow(node) {
            omittedNode.record.omission = nil
            orphanCandidates.append(omittedNode)
        }
        node.omittedChildren = []
        node.links.children = []
        if node.record.isAwaitingFirstPass { retainUnclaimedRecord(node) }
        records.dropUnrestoredState(of: node)
        node.record.exists = false
        node.passState.isDetached = false
        if node.record.omission == nil { node.record.isOrphan = false }
        node.passState.lastEncodedPass = 0
    }

    /// Retains the record of an object that was created during restoration but never linked to the object tree (R16).
    private mutating func retainUnclaimedRecord(_ node: RestorationNode) {
        guard
            let header = records.recordsAwaitingFirstPass.removeValue(forKey: node.record.number)?
                .header
        else { return }
        let isTopmostUnclaimed = node.parentNode?.record.isAwaitingFirstPass != true
        let launchCount =
            (records.earlierFailedLaunchCounts[node.record.number] ?? 0)
            + (records.isLaunchCounted ? 1 : 0)
        let isExpired =
            isTopmostUnclaimed && launchCount > SceneRecords.maximumRestorationAttempts
        if isExpired || expiredNumbers.contains(header.parentNumber) {
            // The archive also removes the records below the expired record.
            if isExpired { recorder.output.records.removals.append(header.number) }
            expiredNumbers.insert(header.recordNumber)
            _ = records.unclaimedRecords.popAll(below: [header.recordNumber])
        } else {
            records.unclaimedRecords.insert(
                header, failedLaunchCount: isTopmostUnclaimed ? launchCount : 0)
            retainedHeaders.append(header)
        }
        node.record.isSaved = false
        node.record.fingerprint = 0
    }

    /// Removes the unclaimed records below removed objects.
    ///
    /// One diagnostic is reported for each object directly above such records.
    private mutating func dropUnclaimedRecords(below lostNodes: [RestorationNode]) {
        if records.unclaimedRecords.isEmpty { return }
        let removedNodes = lostNodes.filter { !$0.record.isAwaitingFirstPass }
        let removedIdentifiers = records.unclaimedRecords.removeAll(
            below: Set(removedNodes.map(\.record.number)))
        for node in removedNodes {
            guard let identifiers = removedIdentifiers[node.record.number] else { continue }
            recorder.output.diagnostics.append(
                .unclaimedRemoved(path: records.path(of: node), identifiers: identifiers))
        }
    }
}
