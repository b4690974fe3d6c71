// Determines the positions of objects, by listing the objects below each parent.
extension PreservationPass {
    /// Maximum number of times that one pass lists the children of an object whose children keep changing.
    private static let maximumListings: UInt8 = 16

    /// Lists the roots.
    mutating func listRoots(below root: RestorationNode) {
        if countListing(of: root) {
            placeChildren(scene.liveRoots, below: root, numbersDuplicates: false)
        }
    }

    /// Lists the objects directly below an object.
    mutating func listChildren(of node: RestorationNode, _ object: any StateRestoring) {
        guard countListing(of: node), !confirmUnchangedChildren(below: node, object) else { return }
        placeChildren(
            scene.liveChildren(of: object), below: node,
            numbersDuplicates: object.allowsDuplicateChildIdentifiers)
    }

    /// Applies the addition or removal of one object directly below another.
    ///
    /// The siblings are not checked, unless the change affects them.
    mutating func apply(_ change: RestorationNode.ChildChange, below parentNode: RestorationNode) {
        guard parentNode.belongs(to: records), parentNode.record.exists,
            !parentNode.passState.isStructureMarked
        else { return }
        switch change {
        case .added(let object):
            let node = object.restoration
            guard let identifier = node.identifier, !node.record.exists, node.records == nil,
                parentNode.omittedChildren.isEmpty
            else { return records.markStructure(parentNode) }
            records.adopt(object, node)
            guard placeNode(object, node, as: identifier, below: parentNode) else { return }
            parentNode.links.children.append(node)
            visits.append(Visit(object: object, node: node, encodes: true))
        case .removed(let object):
            let node = object.restoration
            guard node.belongs(to: records), node.isDirectlyBelow(parentNode) else { return }
            guard node.record.exists, !node.record.isOrphan else {
                return records.markStructure(parentNode)
            }
            removedChildren.append(node)
            detach(node)
        }
    }

    /// Prunes removed objects from a parent's list of children once they make up half of the list.
    ///
    /// The amortized cost of a removal is therefore at most two checks.
    mutating func pruneRemovedChildren() {
        for node in removedChildren where !node.record.exists {
            guard let parentNode = node.parentNode else { continue }
            node.parentNode = nil
            parentNode.links.removedChildCount += 1
            if 2 * Int(parentNode.links.removedChildCount) < parentNode.links.children.count {
                continue
            }
            parentNode.links.children.removeAll { !$0.isDirectlyBelow(parentNode) }
            parentNode.links.removedChildCount = 0
        }
        removedChildren = []
    }

    /// Counts a listing of the objects below an object.
    ///
    /// - Returns: `false` if the objects have been listed too often. The problem is reported once per pass.
    private mutating func countListing(of parentNode: RestorationNode) -> Bool {
        guard parentNode.passState.lastListedPass == id else {
            parentNode.passState.lastListedPass = id
            parentNode.passState.listingCount = 1
            return true
        }
        if parentNode.passState.listingCount > Self.maximumListings { return false }
        parentNode.passState.listingCount += 1
        if parentNode.passState.listingCount <= Self.maximumListings { return true }
        recorder.output.diagnostics.append(
            .childrenKeepChanging(path: records.path(of: parentNode)))
        unsettledNodes.append(parentNode)
        return false
    }

    private mutating func placeChildren(
        _ listedObjects: [any StateRestoring], below parentNode: RestorationNode,
        numbersDuplicates: Bool
    ) {
        if listedObjects.isEmpty, parentNode.links.children.isEmpty,
            parentNode.omittedChildren.isEmpty
        {
            return
        }
        let listingNumber = records.numbering.nextSequenceNumber()
        let objects = markAsListed(listedObjects, listingNumber)
        let siblingIdentifiers = SiblingIdentifiers(
            objects, below: parentNode, numbersDuplicates: numbersDuplicates)
        let earlierDiagnosticCount = recorder.output.diagnostics.count
        reportConflicts(siblingIdentifiers.conflicts, of: objects, below: parentNode)
        let previousLinks = (
            children: parentNode.links.children, omittedChildren: parentNode.omittedChildren
        )
        let orphans = parentNode.links.children.filter {
            $0.record.isOrphan && $0.isDirectlyBelow(parentNode)
        }
        parentNode.links.children = []
        parentNode.links.removedChildCount = 0
        parentNode.links.children.reserveCapacity(objects.count)
        parentNode.omittedChildren = parentNode.omittedChildren.filter(
            \.record.isOrphan)
        var foundVisits: [Visit] = []
        for (object, identifier) in zip(objects, siblingIdentifiers.identifiers) {
            if let visit = placeChild(object, as: identifier, below: parentNode) {
                foundVisits.append(visit)
            }
        }
        records.setOmission(
            recorder.output.diagnostics.dropFirst(earlierDiagnosticCount).first,
            below: parentNode.record.number)
        retain(orphans, below: parentNode)
        detachUnlistedChildren(previousLinks.children, listingNumber, below: parentNode)
        releaseUnlistedOmissions(
            previousLinks.omittedChildren, listingNumber, below: parentNode)
        while let visit = foundVisits.popLast() { visits.append(visit) }
    }

    /// Detaches the children that the given listing no longer contains.
    private mutating func detachUnlistedChildren(
        _ previousChildren: [RestorationNode], _ listingNumber: UInt64,
        below parentNode: RestorationNode
    ) {
        for node in previousChildren
        where node.isDirectlyBelow(parentNode) && node.belongs(to: records) {
            if node.passState.lastListingNumber != listingNumber, !node.record.isOrphan {
                detach(node)
            }
        }
    }

    /// Turns omitted children into orphan candidates if the given listing no longer contains them.
    private mutating func releaseUnlistedOmissions(
        _ previousOmittedChildren: [RestorationNode], _ listingNumber: UInt64,
        below parentNode: RestorationNode
    ) {
        for node in previousOmittedChildren
        where node.isDirectlyBelow(parentNode) && !node.record.isOrphan {
            if node.passState.lastListingNumber == listingNumber { continue }
            node.record.omission = nil
            orphanCandidates.append(node)
        }
    }

    /// Links an object below its parent, or omits the object if it has no identifier or shares one with a preserved
    /// sibling.
    ///
    /// - Returns: A visit to the object if the pass must encode it, or `nil` otherwise.
    private mutating func placeChild(
        _ object: any StateRestoring, as identifier: RestorationIdentifier?,
        below parentNode: RestorationNode
    ) -> Visit? {
        let node = object.restoration
        records.adopt(object, node)
        node.links.isView = object.restorationKind == .view
        guard let identifier else {
            omit(node, below: parentNode, node.identifier == nil ? nil : .siblingHasSameIdentifier)
            return nil
        }
        let isNew = !node.record.exists || !node.belongs(to: records)
        guard placeNode(object, node, as: identifier, below: parentNode) else { return nil }
        parentNode.links.children.append(node)
        return isNew || isFullPass ? Visit(object: object, node: node, encodes: true) : nil
    }

    /// Marks the objects as part of the given listing, and returns them without duplicates.
    private func markAsListed(_ objects: [any StateRestoring], _ listingNumber: UInt64)
        -> [any StateRestoring]
    {
        var hasDuplicates = false
        for object in objects {
            let node = object.restoration
            if node.passState.lastListingNumber == listingNumber { hasDuplicates = true }
            node.passState.lastListingNumber = listingNumber
        }
        if !hasDuplicates { return objects }
        var seenObjects: Set<ObjectIdentifier> = []
        return objects.filter { seenObjects.insert(ObjectIdentifier($0)).inserted }
    }

    /// Confirms the positions of an object's children if the list of children has not changed.
    ///
    /// In a full pass, the method also schedules visits to the children.
    ///
    /// - Returns: `false` if the list has changed. In this case, the method does nothing.
    private mutating func confirmUnchangedChildren(
        below parentNode: RestorationNode, _ object: any StateRestoring
    ) -> Bool {
        guard parentNode.omittedChildren.isEmpty,
            !scene.registrations.hasObjects(below: parentNode)
        else {
            return false
        }
        var foundVisits: [Visit] = []
        let children = parentNode.links.children
        var nextChildIndex = 0
        var isUnchanged = true
        scene.forEachLiveChild(of: object) { object in
            guard isUnchanged else { return }
            let node = object.restoration
            if isRecorded(node, asChild: nextChildIndex, of: children, below: parentNode) {
                nextChildIndex += 1
                if isFullPass {
                    foundVisits.append(Visit(object: object, node: node, encodes: true))
                }
            } else {
                isUnchanged = isExcluded(node, below: parentNode)
            }
        }
        guard isUnchanged, nextChildIndex == children.count else { return false }
        for node in children { node.passState.lastPlacedPass = id }
        while let visit = foundVisits.popLast() { visits.append(visit) }
        return true
    }

    private func isRecorded(
        _ node: RestorationNode, asChild index: Int, of children: [RestorationNode],
        below parentNode: RestorationNode
    ) -> Bool {
        index < children.count && children[index] === node && node.belongs(to: records)
            && node.isDirectlyBelow(parentNode) && node.record.exists && !node.passState.isDetached
            && !node.record.isOrphan
            && !node.record.isAwaitingFirstPass && node.record.identifier == node.identifier
            && node.record.pathByteCount <= RestorationPath.maximumBytes
    }

    private func isExcluded(_ node: RestorationNode, below parentNode: RestorationNode) -> Bool {
        node.identifier == nil && !node.record.exists && node.isDirectlyBelow(parentNode)
            && node.belongs(to: records)
    }

    /// Assigns a position to an object.
    ///
    /// - Returns: `false` if the object cannot have this position.
    private mutating func placeNode(
        _ object: any StateRestoring, _ node: RestorationNode,
        as identifier: RestorationIdentifier, below parentNode: RestorationNode
    ) -> Bool {
        if node.passState.lastPlacedPass == id, !node.passState.isDetached, !node.record.isOrphan,
            node.record.exists,
            node.belongs(to: records), !node.isDirectlyBelow(parentNode)
        {
            // If an object is listed at two positions, the position below its own parent takes precedence.
            let parent = object.restorationParent?.restoration ?? records.root
            if parent !== parentNode { return false }
        }
        guard pathByteCount(of: identifier, below: parentNode) <= RestorationPath.maximumBytes
        else {
            let path = records.path(of: parentNode).appending(identifier)
            longPathReports.append((recorder.output.diagnostics.count, node))
            recorder.output.diagnostics.append(
                .pathTooLong(path: path, bytes: pathByteCount(of: identifier, below: parentNode)))
            omit(node, below: parentNode, .pathTooLong)
            return false
        }
        if isContained(parentNode, within: node) {
            // The position of the parent has not been determined yet.
            visits.insert(
                contentsOf: parentNode.object.map {
                    [Visit(object: $0, node: parentNode, encodes: false)]
                }
                    ?? [], at: 0)
            return false
        }
        setPosition(of: node, as: identifier, below: parentNode)
        return true
    }

    /// Moves an object to a position, or records it there for the first time.
    mutating func setPosition(
        of node: RestorationNode, as identifier: RestorationIdentifier,
        below parentNode: RestorationNode, isOrphan: Bool = false
    ) {
        records.pathIndex.removeAll()
        if !node.belongs(to: records) { adopt(node) }
        if !isOrphan, node.record.isOrphan || parentNode === records.root {
            rootNodesByIdentifier = nil
        }
        let wasRecorded = node.record.exists
        let isMoved = !node.isDirectlyBelow(parentNode) || node.record.identifier != identifier
        if wasRecorded {
            if isMoved { recorder.willMove(node) }
            if isMoved, node.record.isUnrestored {
                records.dropUnrestoredState(of: node)
                scheduleEncoding(of: [node])
            }
            if isMoved, node.isDirectlyBelow(records.root) { records.markRootPathFree() }
            node.parentNode = parentNode
            node.record.identifier = identifier
            if isMoved { claimRecord(identifier, below: parentNode, for: node) }
            setPathByteCount(of: node, to: pathByteCount(of: identifier, below: parentNode))
        } else {
            node.parentNode = parentNode
            node.record.identifier = identifier
            node.record.pathByteCount = Int32(pathByteCount(of: identifier, below: parentNode))
            node.record.exists = true
            if !releasedNumbers.isEmpty { dropInheritedState(of: node) }
            reclaim(node)
            claimRecord(identifier, below: parentNode, for: node)
            node.passState.isMarked = false
        }
        if isMoved || !wasRecorded, !isFirstPass, !node.record.isUnrestored,
            records.hasUnrestoredObjects
        {
            scheduleEncoding(of: records.dropUnrestoredState(above: node))
        }
        node.record.isOrphan = isOrphan
        records.didReach(node)
        node.record.omission = nil
        node.passState.lastPlacedPass = id
        if node.passState.isDetached {
            node.passState.isDetached = false
            resumeDeferredVisits()
        }
    }

    /// Omits an object that has no identifier or no valid path.
    mutating func omit(
        _ node: RestorationNode, below parentNode: RestorationNode,
        _ omission: RestorationNode.Omission?
    ) {
        records.pathIndex.removeAll()
        if !node.belongs(to: records) { adopt(node) }
        if node.record.exists, !node.isDirectlyBelow(parentNode) {
            recorder.willMove(node)
            if node.isDirectlyBelow(records.root) {
                rootNodesByIdentifier = nil
                records.markRootPathFree()
            }
        }
        node.parentNode = parentNode
        node.record.omission = omission
        if omission == .siblingHasSameIdentifier, parentNode !== records.root {
            node.lastOmittedPass = id
        }
        node.record.isOrphan = false
        if omission != nil { parentNode.omittedChildren.append(node) }
        if node.record.exists { detach(node) }
    }

    /// Marks an object as detached from its position. The pass decides later whether the object is still preserved.
    mutating func detach(_ node: RestorationNode) {
        guard !node.passState.isDetached else { return }
        node.passState.isDetached = true
        arePositionsStable = false
        detachedNodes.append(node)
    }

    /// Retains orphans at their positions, and detaches any orphan whose path is now taken or whose identifier has
    /// changed.
    private mutating func retain(_ orphans: [RestorationNode], below parentNode: RestorationNode) {
        if orphans.isEmpty { return }
        let takenIdentifiers = Set(parentNode.links.children.compactMap(\.record.identifier))
        for node in orphans where node.record.isOrphan && node.isDirectlyBelow(parentNode) {
            parentNode.links.children.append(node)
            let isIdentifierTaken = node.record.identifier.map(takenIdentifiers.contains) ?? true
            if isIdentifierTaken || node.record.identifier != node.identifier { detach(node) }
        }
    }

    /// Returns whether a node is identical to another node or below it.
    private func isContained(_ node: RestorationNode, within container: RestorationNode) -> Bool {
        guard container.record.exists else { return node === container }
        var currentNode: RestorationNode? = node
        while let node = currentNode, node !== records.root {
            if node === container { return true }
            currentNode = node.parentNode
        }
        return false
    }

    // MARK: Paths

    private func pathByteCount(
        of identifier: RestorationIdentifier, below parentNode: RestorationNode
    ) -> Int {
        Int(parentNode.record.pathByteCount) + 1 + identifier.text.utf8.count
    }

    /// Updates the path lengths of an object and the objects below it.
    ///
    /// The pass relists an object's children if a child's path has become too long, or if a path that was too long may
    /// now be short enough.
    private func setPathByteCount(of node: RestorationNode, to pathByteCount: Int) {
        let byteCountDifference = Int32(pathByteCount) - node.record.pathByteCount
        if byteCountDifference == 0 { return }
        node.record.pathByteCount += byteCountDifference
        var pendingNodes = [node]
        while let node = pendingNodes.popLast() {
            var needsListing = node.omittedChildren.contains {
                $0.record.omission == .pathTooLong
            }
            for child in node.links.children where child.isDirectlyBelow(node) {
                child.record.pathByteCount += byteCountDifference
                if child.record.pathByteCount > RestorationPath.maximumBytes { needsListing = true }
                pendingNodes.append(child)
            }
            if needsListing { records.markStructure(node) }
        }
    }

    private mutating func reportConflicts(
        _ conflicts: [SiblingIdentifiers.Conflict], of objects: [any StateRestoring],
        below parentNode: RestorationNode
    ) {
        for conflict in conflicts {
            reportEqualSiblings(
                conflict.identifier, below: parentNode,
                preservedObject: objects[conflict.preservedIndex],
                omittedObject: objects[conflict.omittedIndex])
        }
    }

    private mutating func reportEqualSiblings(
        _ identifier: RestorationIdentifier, below parentNode: RestorationNode,
        preservedObject: any StateRestoring, omittedObject: any StateRestoring
    ) {
        recorder.output.diagnostics.append(
            .siblingsWithSameIdentifier(
                path: records.path(of: parentNode).appending(identifier),
                preservedClass: scene.classes.token(for: type(of: preservedObject)),
                omittedClass: scene.classes.token(for: type(of: omittedObject))))
    }

    /// Reports that two orphans, or an orphan and a root, have the same path (I3).
    mutating func reportEqualSibling(_ node: RestorationNode, losingTo winner: RestorationNode) {
        guard let omittedObject = node.object, let preservedObject = winner.object,
            let identifier = node.identifier
        else { return }
        reportEqualSiblings(
            identifier, below: records.root, preservedObject: preservedObject,
            omittedObject: omittedObject)
    }
}
