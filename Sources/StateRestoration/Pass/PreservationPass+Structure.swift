// Positions of objects. Objects are listed below their holders, where they gain, keep or lose their
// positions.
extension PreservationPass {
    /// Maximum number of times that one pass lists the children of an object that keeps changing them.
    private static let maximumListings: UInt8 = 16

    /// Lists the roots.
    mutating func list(_ root: RestorationNode) {
        if mayList(root) { place(scene.liveRoots, below: root, numbered: false) }
    }

    /// Lists the objects directly below an object.
    mutating func list(_ node: RestorationNode, _ object: any StateRestoring) {
        guard mayList(node), !visitUnchanged(below: node, object) else { return }
        place(scene.liveChildren(of: object), below: node, numbered: object.numbersEqualChildren)
    }

    /// Applies the addition or removal of one object below another.
    ///
    /// The siblings are not checked, unless the change affects them.
    mutating func apply(_ change: RestorationNode.ChildChange, below holder: RestorationNode) {
        guard holder.belongs(to: records), holder.record.exists, !holder.marks.isStructureMarked
        else { return }
        switch change {
        case .added(let object):
            let node = object.restoration
            guard let identifier = node.identifier, !node.record.exists, node.records == nil,
                holder.links.leftOut.isEmpty
            else { return records.markStructure(holder) }
            records.adopt(object, node)
            guard place(object, node, as: identifier, below: holder) else { return }
            holder.links.children.append(node)
            visits.append(Visit(object: object, node: node, encodes: true))
        case .removed(let object):
            let node = object.restoration
            guard node.belongs(to: records), node.isBelow(holder) else { return }
            guard node.record.exists, !node.record.isOrphan else {
                return records.markStructure(holder)
            }
            departed.append(node)
            detach(node)
        }
    }

    /// Removes departed objects from the children of their holders once they make up half of these children.
    ///
    /// The average cost for each departed object is therefore at most two checks of other children.
    mutating func removeDeparted() {
        for node in departed where !node.record.exists {
            guard let holder = node.holder else { continue }
            node.holder = nil
            holder.links.departedCount += 1
            if 2 * Int(holder.links.departedCount) < holder.links.children.count { continue }
            holder.links.children.removeAll { !$0.isBelow(holder) }
            holder.links.departedCount = 0
        }
        departed = []
    }

    /// Counts how often the objects below an object are listed.
    ///
    /// - Returns: `false` if the objects were listed too often. The first time, this is reported.
    private mutating func mayList(_ holder: RestorationNode) -> Bool {
        guard holder.marks.listedIn == id else {
            holder.marks.listedIn = id
            holder.marks.listings = 1
            return true
        }
        if holder.marks.listings > Self.maximumListings { return false }
        holder.marks.listings += 1
        if holder.marks.listings <= Self.maximumListings { return true }
        recorder.output.diagnostics.append(.unsettled(path: records.path(of: holder)))
        unsettled.append(holder)
        return false
    }

    private mutating func place(
        _ listed: [any StateRestoring], below holder: RestorationNode, numbered: Bool
    ) {
        if listed.isEmpty, holder.links.children.isEmpty, holder.links.leftOut.isEmpty { return }
        let listing = records.numbering.nextStamp()
        let objects = once(listed, listing)
        let resolved = SiblingIdentifiers(objects, below: holder, numbered: numbered)
        let earlierDiagnostics = recorder.output.diagnostics.count
        for conflict in resolved.conflicts {
            report(
                conflict.identifier, below: holder, kept: objects[conflict.kept],
                leftOut: objects[conflict.leftOut])
        }
        let before = (children: holder.links.children, leftOut: holder.links.leftOut)
        let orphans = holder.links.children.filter { $0.record.isOrphan && $0.isBelow(holder) }
        holder.links.children = []
        holder.links.departedCount = 0
        holder.links.children.reserveCapacity(objects.count)
        holder.links.leftOut = holder.links.leftOut.filter(\.record.isOrphan)
        var found: [Visit] = []
        for (object, identifier) in zip(objects, resolved.identifiers) {
            let node = object.restoration
            records.adopt(object, node)
            node.links.isLookedThrough = object.restorationKind == .view
            if let identifier {
                let isNew = !node.record.exists || !node.belongs(to: records)
                guard place(object, node, as: identifier, below: holder) else { continue }
                holder.links.children.append(node)
                if isNew || isFull {
                    found.append(Visit(object: object, node: node, encodes: true))
                }
            } else {
                leaveOut(node, below: holder, node.identifier == nil ? nil : .equalSibling)
            }
        }
        records.setOmission(
            recorder.output.diagnostics.dropFirst(earlierDiagnostics).first,
            below: holder.record.number)
        retain(orphans, below: holder)
        for node in before.children where node.isBelow(holder) && node.belongs(to: records) {
            if node.marks.listing != listing, !node.record.isOrphan { detach(node) }
        }
        for node in before.leftOut where node.isBelow(holder) && !node.record.isOrphan {
            if node.marks.listing == listing { continue }
            node.record.omission = nil
            candidates.append(node)
        }
        while let visit = found.popLast() { visits.append(visit) }
    }

    /// Marks the objects as part of a listing, and returns them without duplicates.
    private func once(_ objects: [any StateRestoring], _ listing: UInt64) -> [any StateRestoring] {
        var isTwice = false
        for object in objects {
            let node = object.restoration
            if node.marks.listing == listing { isTwice = true }
            node.marks.listing = listing
        }
        if !isTwice { return objects }
        var seen: Set<ObjectIdentifier> = []
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Visits the objects directly below an object if they have not changed.
    ///
    /// - Returns: `false` if they have changed. In this case, the method does nothing.
    private mutating func visitUnchanged(
        below holder: RestorationNode, _ object: any StateRestoring
    ) -> Bool {
        guard holder.links.leftOut.isEmpty, !scene.registrations.hasObjects(below: holder) else {
            return false
        }
        var found: [Visit] = []
        let children = holder.links.children
        var next = 0
        var isUnchanged = true
        scene.forEachLiveChild(of: object) { object in
            guard isUnchanged else { return }
            let node = object.restoration
            if stands(node, asChild: next, of: children, below: holder) {
                next += 1
                if isFull { found.append(Visit(object: object, node: node, encodes: true)) }
            } else {
                isUnchanged = isExcluded(node, below: holder)
            }
        }
        guard isUnchanged, next == children.count else { return false }
        for node in children { node.marks.placedIn = id }
        while let visit = found.popLast() { visits.append(visit) }
        return true
    }

    private func stands(
        _ node: RestorationNode, asChild index: Int, of children: [RestorationNode],
        below holder: RestorationNode
    ) -> Bool {
        index < children.count && children[index] === node && node.belongs(to: records)
            && node.isBelow(holder) && node.record.exists && !node.marks.isDetached
            && !node.record.isOrphan
            && !node.record.isUnlinked && node.record.identifier == node.identifier
            && node.record.pathBytes <= RestorationPath.maximumBytes
    }

    private func isExcluded(_ node: RestorationNode, below holder: RestorationNode) -> Bool {
        node.identifier == nil && !node.record.exists && node.isBelow(holder)
            && node.belongs(to: records)
    }

    /// Assigns a position to an object.
    ///
    /// - Returns: `false` if the object cannot have this position.
    private mutating func place(
        _ object: any StateRestoring, _ node: RestorationNode,
        as identifier: RestorationIdentifier, below holder: RestorationNode
    ) -> Bool {
        if node.marks.placedIn == id, !node.marks.isDetached, !node.record.isOrphan,
            node.record.exists,
            node.belongs(to: records), !node.isBelow(holder)
        {
            // If an object is listed at two positions, the position below its own parent takes precedence.
            let parent = object.restorationParent?.restoration ?? records.root
            if parent !== holder { return false }
        }
        guard pathBytes(of: identifier, below: holder) <= RestorationPath.maximumBytes else {
            let path = records.path(of: holder).appending(identifier)
            recorder.output.diagnostics.append(
                .pathTooLong(path: path, bytes: pathBytes(of: identifier, below: holder)))
            leaveOut(node, below: holder, .pathTooLong)
            return false
        }
        if lies(holder, within: node) {
            // The position of the holder has not been determined yet.
            visits.insert(
                contentsOf: holder.object.map { [Visit(object: $0, node: holder, encodes: false)] }
                    ?? [], at: 0)
            return false
        }
        setPlace(of: node, as: identifier, below: holder)
        return true
    }

    /// Moves an object to a position, or records it there for the first time.
    mutating func setPlace(
        of node: RestorationNode, as identifier: RestorationIdentifier,
        below holder: RestorationNode, isOrphan: Bool = false
    ) {
        if !node.belongs(to: records) { adopt(node) }
        if !isOrphan, node.record.isOrphan || holder === records.root { rootIndex = nil }
        if node.record.exists {
            let isMoved = !node.isBelow(holder) || node.record.identifier != identifier
            if isMoved { recorder.willMove(node) }
            if isMoved, node.record.isUnrestored {
                records.dropUnrestoredState(of: node)
                encode([node])
            }
            if isMoved, node.isBelow(records.root) { records.markRootPathFree() }
            node.holder = holder
            node.record.identifier = identifier
            if isMoved { claimPlace(identifier, below: holder, for: node) }
            move(node, toPathBytes: pathBytes(of: identifier, below: holder))
        } else {
            node.holder = holder
            node.record.identifier = identifier
            node.record.pathBytes = Int32(pathBytes(of: identifier, below: holder))
            node.record.exists = true
            reclaim(node)
            claimPlace(identifier, below: holder, for: node)
            node.marks.isMarked = false
        }
        if !isFirst, !node.record.isUnrestored, holder.record.isUnrestored {
            encode(records.dropUnrestoredState(above: node))
        }
        node.record.isOrphan = isOrphan
        node.record.isUnlinked = false
        node.record.omission = nil
        node.marks.placedIn = id
        if node.marks.isDetached {
            node.marks.isDetached = false
            resumeDeferred()
        }
    }

    /// Omits an object that has no identifier or no valid path.
    mutating func leaveOut(
        _ node: RestorationNode, below holder: RestorationNode,
        _ omission: RestorationNode.Omission?
    ) {
        if !node.belongs(to: records) { adopt(node) }
        if node.record.exists, !node.isBelow(holder) {
            recorder.willMove(node)
            if node.isBelow(records.root) {
                rootIndex = nil
                records.markRootPathFree()
            }
        }
        node.holder = holder
        node.record.omission = omission
        if omission == .equalSibling, holder !== records.root { node.marks.leftOutIn = id }
        node.record.isOrphan = false
        if omission != nil { holder.links.leftOut.append(node) }
        if node.record.exists { detach(node) }
    }

    /// Marks an object as detached from its position. The pass decides later whether it is still preserved.
    mutating func detach(_ node: RestorationNode) {
        guard !node.marks.isDetached else { return }
        node.marks.isDetached = true
        isUndisturbed = false
        detached.append(node)
    }

    /// Retains orphans at their positions, unless another root now has their path.
    private mutating func retain(_ orphans: [RestorationNode], below holder: RestorationNode) {
        if orphans.isEmpty { return }
        let taken = Set(holder.links.children.compactMap(\.record.identifier))
        for node in orphans where node.record.isOrphan && node.isBelow(holder) {
            holder.links.children.append(node)
            let isTaken = node.record.identifier.map(taken.contains) ?? true
            if isTaken || node.record.identifier != node.identifier { detach(node) }
        }
    }

    /// Returns whether a node is the other node or is below it.
    private func lies(_ node: RestorationNode, within other: RestorationNode) -> Bool {
        guard other.record.exists else { return node === other }
        var current: RestorationNode? = node
        while let node = current, node !== records.root {
            if node === other { return true }
            current = node.holder
        }
        return false
    }

    // MARK: Paths

    private func pathBytes(
        of identifier: RestorationIdentifier, below holder: RestorationNode
    ) -> Int {
        Int(holder.record.pathBytes) + 1 + identifier.text.utf8.count
    }

    /// Updates the path lengths of an object and the objects below it.
    ///
    /// Children are listed again if the path of a child has become too long, or if an omitted path might now be short
    /// enough.
    private func move(_ node: RestorationNode, toPathBytes bytes: Int) {
        let difference = Int32(bytes) - node.record.pathBytes
        if difference == 0 { return }
        node.record.pathBytes += difference
        var waiting = [node]
        while let node = waiting.popLast() {
            var isListed = node.links.leftOut.contains { $0.record.omission == .pathTooLong }
            for child in node.links.children where child.isBelow(node) {
                child.record.pathBytes += difference
                if child.record.pathBytes > RestorationPath.maximumBytes { isListed = true }
                waiting.append(child)
            }
            if isListed { records.markStructure(node) }
        }
    }

    private mutating func report(
        _ identifier: RestorationIdentifier, below holder: RestorationNode,
        kept: any StateRestoring, leftOut: any StateRestoring
    ) {
        recorder.output.diagnostics.append(
            .equalSiblings(
                path: records.path(of: holder).appending(identifier),
                kept: scene.classes.token(for: type(of: kept)),
                leftOut: scene.classes.token(for: type(of: leftOut))))
    }

    /// Reports that two orphans, or an orphan and a root, have the same path (I3).
    mutating func report(_ node: RestorationNode, losesTo winner: RestorationNode) {
        guard let leftOut = node.object, let kept = winner.object,
            let identifier = node.identifier
        else { return }
        report(identifier, below: records.root, kept: kept, leftOut: leftOut)
    }
}
