import StateRecords

// Assigns records from earlier launches to objects (R16), and transfers objects between scenes.
extension PreservationPass {
    /// Assigns an unclaimed record to an object that already has the record's number, regardless of its position (R16).
    ///
    /// If another object has claimed the record, or if the record has expired, the object loses the number.
    mutating func reclaim(_ node: RestorationNode) {
        guard node.record.number != .none else { return }
        if records.unclaimedRecords.remove(numbered: node.record.number) {
            node.record.isSaved = true
            node.passState.lastMarkedPass = id
        } else if node.record.isAwaitingFirstPass {
            node.record.removeNumber()
        }
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
            if node.record.number == .none, !records.linkedRecordNumbers.contains(recordNumber) {
                node.record.number = recordNumber
                if !releasedNumbers.isEmpty { inheritingNodes[recordNumber] = node }
                node.record.isSaved = true
                node.passState.lastMarkedPass = id
                node.record.isNumberReserved = true
                if isFirstPass || (parentNode.record.isUnrestored && !node.passState.isMarked) {
                    records.retainUnrestoredState(of: node)
                    records.unrestoredLaunchCounts[recordNumber] = unclaimedRecord.failedLaunchCount
                }
            } else {
                if node.record.number == .none { node.record.number = records.numbering.next() }
                replaceRecord(recordNumber, by: node)
            }
        }
        if node.record.number == .none { node.record.number = records.numbering.next() }
    }

    /// Makes a record unclaimed if another object takes the record's position (R16).
    ///
    /// The record belongs to an object that the launch created. If the pass may preserve that object elsewhere, the
    /// object keeps its record.
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
            node.record.isAwaitingFirstPass, !scene.isReachable(node),
            !records.linkedRecordNumbers.contains(node.record.number),
            parentNode === records.root || !isReferenced(node) && !isReferencedByRestoredValue(node)
        else { return }
        for lostNode in subtree(node) {
            releasedNumbers[ObjectIdentifier(lostNode)] = lostNode.record.number
            removeRecord(lostNode)
        }
        node.record.removeNumber()
    }

    /// Encodes the object that has inherited a created object's record, because the pass preserves the created object
    /// after all.
    ///
    /// A created object can seem unused until an object that refers to it is encoded. Such an object saves its state in a
    /// new record, so the object at its former path saves its own state.
    mutating func dropInheritedState(of node: RestorationNode) {
        guard let number = releasedNumbers.removeValue(forKey: ObjectIdentifier(node)),
            let inheritingNode = inheritingNodes.removeValue(forKey: number),
            inheritingNode.record.isUnrestored, inheritingNode.record.number == number
        else { return }
        records.dropUnrestoredState(of: inheritingNode)
        scheduleEncoding(of: [inheritingNode])
    }

    /// Removes the records that became unclaimed in this pass if the pass has recorded other objects at their paths
    /// (R16).
    mutating func removeReplacedRecords() {
        if retainedHeaders.isEmpty { return }
        var recordedNodes: [RecordPosition: RestorationNode] = [:]
        var pendingNodes = [records.root]
        while let parentNode = pendingNodes.popLast() {
            for node in parentNode.links.children
            where node.isDirectlyBelow(parentNode) && node.record.exists {
                guard let identifier = node.record.identifier else { continue }
                recordedNodes[
                    RecordPosition(parent: parentNode.record.number, identifier: identifier)] = node
                pendingNodes.append(node)
            }
        }
        for header in retainedHeaders {
            let number = header.recordNumber
            guard let node = recordedNodes[header.position],
                records.unclaimedRecords.entry(at: header.position)?.header.recordNumber == number
            else { continue }
            _ = records.unclaimedRecords.claim(header.position)
            replaceRecord(number, by: node)
        }
    }

    /// Removes a record whose path now belongs to another object.
    ///
    /// The archive also removes the records below it, unless they are moved below the object. They are not moved if the
    /// application replaced the record's object after the launch had restored it.
    private mutating func replaceRecord(_ number: RecordNumber, by node: RestorationNode) {
        recorder.output.records.removals.append(number.rawValue)
        if records.linkedRecordNumbers.contains(number) {
            _ = records.unclaimedRecords.popAll(below: [number])
        } else {
            recorder.output.records.placements += records.unclaimedRecords.move(
                below: number, to: node.record.number, except: recordedChildIdentifiers(of: node))
        }
    }

    /// Returns whether a value that the launch restored refers to an object.
    ///
    /// The objects that have such values have not been encoded in this pass yet, but they probably still refer to the
    /// object.
    private mutating func isReferencedByRestoredValue(_ node: RestorationNode) -> Bool {
        let numbers = referencedNumbers ?? records.restoredReferences?() ?? []
        referencedNumbers = numbers
        return numbers.contains(node.record.number)
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
        var pendingNodes = [node]
        var numbers: Set<RecordNumber> = []
        while let nextNode = pendingNodes.popLast() {
            let wasUnrestored = nextNode.record.isUnrestored
            if wasUnrestored { previousSceneRecords?.dropUnrestoredState(of: nextNode) }
            let wasIncomplete =
                previousSceneRecords?.removeDiagnostics(of: nextNode.record.number) == true
            if nextNode !== node, let registrationRecords = nextNode.registrationRecords,
                registrationRecords !== records
            {
                transferBack(nextNode, to: registrationRecords)
                continue
            }
            let node = nextNode
            // The object's unclaimed record remains in the other scene.
            if !node.record.exists, node.record.isAwaitingFirstPass { node.record.removeNumber() }
            previousSceneRecords?.didReach(node)
            pendingNodes += node.links.children.filter { $0.isDirectlyBelow(node) }
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
    private mutating func transferBack(
        _ topNode: RestorationNode, to registrationRecords: SceneRecords
    ) {
        var pendingNodes = [topNode]
        while let node = pendingNodes.popLast() {
            pendingNodes += node.links.children.filter { $0.isDirectlyBelow(node) }
            node.records?.dropUnrestoredState(of: node)
            node.records?.didReach(node)
            node.removeReferences()
            node.links.children = []
            node.record.exists = false
            node.record.isSaved = false
            node.record.fingerprint = 0
        }
        registrationRecords.request.orphanCandidates.append(topNode)
    }
}

extension Scene {
    /// Returns whether a chain of objects with identifiers leads from an object up to the window's root or to a
    /// registered object.
    func isReachable(_ node: RestorationNode) -> Bool {
        var ancestor = node.object
        for _ in 0..<RecordTree.maximumDepth {
            guard let object = ancestor, object.restoration.identifier != nil else { return false }
            if object === delegate.restorationRoot
                || object.restoration.isRegistered(in: records)
            {
                return true
            }
            ancestor = object.restorationParent
        }
        return false
    }
}
