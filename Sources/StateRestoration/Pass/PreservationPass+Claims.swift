import StateRecords

// Assigns records from earlier launches to objects (R16), and transfers objects between scenes.
extension PreservationPass {
    /// Assigns an unclaimed record to an object that already has the record's number, regardless of its position (R16).
    ///
    /// If another object has claimed the record since then, or if the record has expired, the object loses the number.
    mutating func reclaim(_ node: RestorationNode) {
        guard node.record.number != .none else { return }
        if records.unclaimedRecords.remove(numbered: node.record.number) {
            node.record.isSaved = true
            node.passState.lastMarkedPass = id
        } else if node.record.isAwaitingFirstPass {
            removeNumber(of: node)
        }
    }

    /// Ensures that an object's next record gets a new number.
    private func removeNumber(of node: RestorationNode) {
        node.record.number = .none
        node.record.isNumberReserved = false
    }

    /// Assigns an unclaimed record to an object at the record's position (R16).
    ///
    /// If the launch itself placed the object there, the record is retained until the object changes, so that the
    /// object's initial state does not overwrite the saved state.
    mutating func claimRecord(
        _ identifier: RestorationIdentifier, below parentNode: RestorationNode,
        for node: RestorationNode
    ) {
        let position = RecordPosition(parent: parentNode.record.number, identifier: identifier)
        if isFirstPass { releaseRecord(at: position, below: parentNode, for: node) }
        if !records.unclaimedRecords.isEmpty,
            let unclaimedRecord = records.unclaimedRecords.claim(position)
        {
            let recordNumber = unclaimedRecord.header.recordNumber
            if node.record.number == .none {
                node.record.number = recordNumber
                node.record.isSaved = true
                node.passState.lastMarkedPass = id
                node.record.isNumberReserved = true
                if isFirstPass || (parentNode.record.isUnrestored && !node.passState.isMarked) {
                    records.retainUnrestoredState(of: node)
                    records.unrestoredLaunchCounts[recordNumber] = unclaimedRecord.failedLaunchCount
                }
            } else {
                // The archive also removes the records below this record, unless they are moved.
                recorder.output.records.removals.append(recordNumber.rawValue)
                recorder.output.records.placements += records.unclaimedRecords.move(
                    below: recordNumber, to: node.record.number,
                    except: recordedChildIdentifiers(of: node))
            }
        }
        if node.record.number == .none { node.record.number = records.numbering.next() }
    }

    /// Makes a created object's record unclaimed if another object takes the record's position and the pass cannot
    /// preserve the created object elsewhere (R16).
    private mutating func releaseRecord(
        at position: RecordPosition, below parentNode: RestorationNode,
        for newNode: RestorationNode
    ) {
        if records.recordsAwaitingFirstPass.isEmpty { return }
        let unreachedNodes =
            unreachedNodes
            ?? Dictionary(
                records.recordsAwaitingFirstPass.values.map { ($0.header.position, $0.node) },
                uniquingKeysWith: { first, _ in first })
        self.unreachedNodes = unreachedNodes
        guard let node = unreachedNodes[position], node !== newNode, node.record.exists,
            node.record.isAwaitingFirstPass, !isReachable(node),
            parentNode === records.root || !isReferenced(node) && !isReferencedByRestoredValue(node)
        else { return }
        for lostNode in subtree(node) { removeRecord(lostNode) }
        removeNumber(of: node)
    }

    /// Returns whether a value that the launch restored refers to an object.
    ///
    /// Objects that refer to the object have not been encoded yet, but probably still do.
    private mutating func isReferencedByRestoredValue(_ node: RestorationNode) -> Bool {
        let numbers = referencedNumbers ?? records.restoredReferences?() ?? []
        referencedNumbers = numbers
        return numbers.contains(node.record.number)
    }

    /// Returns whether a chain of objects with identifiers leads from an object up to the window's root or to a
    /// registered object.
    private func isReachable(_ node: RestorationNode) -> Bool {
        var ancestor = node.object
        for _ in 0..<RecordTree.maximumDepth {
            guard let object = ancestor, object.restoration.identifier != nil else { return false }
            if object === scene.delegate.restorationRoot
                || object.restoration.isRegistered(in: records)
            {
                return true
            }
            ancestor = object.restorationParent
        }
        return false
    }

    /// Returns the identifiers of an object's recorded children that keep their positions.
    private func recordedChildIdentifiers(of node: RestorationNode) -> Set<RestorationIdentifier> {
        // The recorded children may include objects that have been removed or renamed since the last pass.
        guard let object = node.object else { return [] }
        let children = scene.liveChildren(of: object)
        let siblingIdentifiers = SiblingIdentifiers(
            children, below: node, numbersDuplicates: object.allowsDuplicateChildIdentifiers)
        let identifiers = zip(children, siblingIdentifiers.identifiers).compactMap {
            child, identifier in
            identifier.flatMap { child.restoration.isRecorded(at: $0, below: node) ? $0 : nil }
        }
        return Set(identifiers)
    }

    /// Transfers an object, and all objects recorded below it, from another scene to this scene.
    mutating func adopt(_ node: RestorationNode) {
        arePositionsStable = false
        let previousSceneRecords = node.records
        previousSceneRecords?.pathIndex.removeAll()
        if let previousSceneRecords, node.record.exists,
            node.parentNode === previousSceneRecords.root
        {
            previousSceneRecords.markRootPathFree()
        }
        var waitingNodes = [node]
        var numbers: Set<RecordNumber> = []
        while let nextNode = waitingNodes.popLast() {
            let wasUnrestored = nextNode.record.isUnrestored
            if wasUnrestored { previousSceneRecords?.dropUnrestoredState(of: nextNode) }
            let wasIncomplete =
                previousSceneRecords?.removeDiagnostics(of: nextNode.record.number) == true
            if nextNode !== node, let registry = nextNode.registry, registry !== records {
                transferBack(nextNode, to: registry)
                continue
            }
            let node = nextNode
            // The object's unclaimed record remains in the other scene.
            if !node.record.exists, node.record.isAwaitingFirstPass { removeNumber(of: node) }
            previousSceneRecords?.didReach(node)
            waitingNodes += node.links.children.filter { $0.isDirectlyBelow(node) }
            node.record.findingStep = nil
            node.records = records
            node.links.isLinkedAcrossScenes = true
            shareReferences(of: node)
            numbers.insert(node.record.number)
            node.passState.isStructureMarked = false
            records.markStructure(node)
            if node.passState.isMarked || wasUnrestored || wasIncomplete {
                node.passState.isMarked = false
                node.passState.lastMarkedPass = id
                scheduleEncoding(of: [node])
            }
        }
        if let previousSceneRecords, node.record.exists {
            for entry in previousSceneRecords.unclaimedRecords.popAll(below: numbers) {
                records.unclaimedRecords.insert(
                    entry.header, failedLaunchCount: entry.failedLaunchCount)
            }
        }
    }

    /// Requests that both scenes check whether they still preserve the objects to which a transferred object refers.
    private mutating func shareReferences(of node: RestorationNode) {
        for referredNode in node.references {
            referredNode.links.isLinkedAcrossScenes = true
            orphanCandidates.append(referredNode)
            if referredNode.record.isOrphan {
                referredNode.records?.request.releasedOrphans.append(referredNode)
            }
        }
    }

    /// Transfers an object back to the scene in which it is registered, after an object above it has been transferred.
    ///
    /// The next pass over that scene records the object.
    private mutating func transferBack(_ topNode: RestorationNode, to registry: SceneRecords) {
        var waitingNodes = [topNode]
        while let node = waitingNodes.popLast() {
            waitingNodes += node.links.children.filter { $0.isDirectlyBelow(node) }
            node.records?.dropUnrestoredState(of: node)
            node.records?.didReach(node)
            node.removeReferences()
            node.links.children = []
            node.record.exists = false
            node.record.isSaved = false
            node.record.fingerprint = 0
        }
        registry.request.orphanCandidates.append(topNode)
    }
}
