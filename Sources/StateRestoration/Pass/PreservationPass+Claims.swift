import StateRecords

// Assigns records from earlier launches to objects (R16), and transfers objects between scenes.
extension PreservationPass {
    /// Assigns an unclaimed record to an object that already has the record's number, wherever the object is now (R16).
    ///
    /// If another object has claimed the record in the meantime, or the record has expired, the object loses the number.
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
    /// If the launch itself placed the object there, the record is retained until the object changes. Otherwise, the
    /// object's initial state would overwrite the saved state.
    mutating func claimRecord(
        _ identifier: RestorationIdentifier, below parentNode: RestorationNode,
        for node: RestorationNode
    ) {
        let position = RecordPosition(parent: parentNode.record.number, identifier: identifier)
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

    /// Returns the identifiers of the objects directly below an object that have records and keep their positions.
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
            if nextNode !== node, let registry = nextNode.registry, registry !== records {
                transferBack(nextNode, to: registry)
                continue
            }
            let node = nextNode
            // The object's unclaimed record remains in the other scene.
            if !node.record.exists, node.record.isAwaitingFirstPass { removeNumber(of: node) }
            previousSceneRecords?.didReach(node)
            waitingNodes += node.links.children.filter { $0.isDirectlyBelow(node) }
            node.records = records
            node.links.isLinkedAcrossScenes = true
            for referredNode in node.links.references {
                referredNode.links.isLinkedAcrossScenes = true
                orphanCandidates.append(referredNode)
                if referredNode.record.isOrphan {
                    referredNode.records?.request.releasedOrphans.append(referredNode)
                }
            }
            numbers.insert(node.record.number)
            node.passState.isStructureMarked = false
            records.markStructure(node)
            if node.passState.isMarked || wasUnrestored {
                node.passState.isMarked = false
                node.passState.lastMarkedPass = id
                encode([node])
            }
        }
        if let previousSceneRecords, node.record.exists {
            for entry in previousSceneRecords.unclaimedRecords.popAll(below: numbers) {
                records.unclaimedRecords.insert(
                    entry.header, failedLaunchCount: entry.failedLaunchCount)
            }
        }
    }

    /// Transfers an object back to the scene in which it is registered, after an object above it has been transferred.
    ///
    /// The next pass over that scene records the object again.
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
