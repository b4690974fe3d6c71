/// A builder of the report on a restoration (R15) that also decides which unassigned records are retained (R16).
struct RestorationReportBuilder {
    /// Report with the entries added so far.
    var report: RestorationReport
    private let records: SceneRecords
    private let objects: RestoredObjects
    private let launches: [RecordNumber: Int]
    /// Version of the program that saved the scene.
    private let savedVersion: String

    private let tree: RecordTree

    init(scene: Scene, objects: RestoredObjects, reserved: ReservedState) {
        self.objects = objects
        tree = objects.tree
        records = scene.records
        launches = reserved.unclaimed
        savedVersion = reserved.stamp.bundleVersion
        records.earlierLaunches = reserved.unclaimed
        report = RestorationReport(reason: scene.launchReason)
        report.recorded = tree.count
    }

    /// Reports an object that is not restored because the delegate refused the state.
    mutating func refuse(_ place: Int) {
        if tree.parents[place] == RecordTree.root {
            records.expired.append(tree.numbers[place])
        }
        list(place, .refused(savedBy: savedVersion))
    }

    /// Reports an object that is not restored, and the objects below it.
    ///
    /// - Parameter asWell: Whether the objects below it have the same obstacle.
    mutating func drop(_ place: Int, _ obstacle: RestorationObstacle, asWell: Bool = false) {
        let isKept = retainUnclaimed(place)
        list(place, obstacle)
        for lower in tree.subtree(below: place) {
            list(lower, asWell ? obstacle : .parentDropped(tree.writtenPath(of: place)))
            if isKept { retainUnclaimed(lower) }
        }
    }

    /// Removes the records of an object and all objects below it, because the application reports that the object no
    /// longer exists (R3).
    mutating func remove(_ place: Int) {
        records.expired.append(tree.numbers[place])
        for gone in [place] + tree.subtree(below: place) {
            report.list(
                tree.writtenPath(of: gone).cut(to: RestorationPath.maximumBytes), in: \.gone)
        }
    }

    /// Reports an object that was created and has decoded but is not in the object tree, and the objects below it.
    ///
    /// - Parameter restored: A closure that returns whether the object of a record counts as restored so far.
    mutating func listLoose(_ place: Int, restored: (Int) -> Bool) {
        let isKept = countLaunch(of: place) != nil
        for lower in [place] + tree.subtree(below: place) where restored(lower) {
            report.restored -= 1
            if isKept { report.unclaimed += 1 }
            if lower == place {
                list(lower, .notShown)
            } else {
                list(lower, .parentDropped(tree.writtenPath(of: place)))
            }
        }
    }

    /// Adds an object that was not restored to the report.
    mutating func list(_ place: Int, _ obstacle: RestorationObstacle) {
        let isRepeated = isRepeated(place)
        report.list(
            UnrestoredObject(tree.writtenPath(of: place), obstacle, isRepeated: isRepeated),
            in: \.unrestored)
    }

    /// Returns whether an earlier launch already failed to assign this record or a record above it.
    private func isRepeated(_ place: Int) -> Bool {
        var place = place
        while place >= 0 {
            if launches[tree.numbers[place]] ?? 0 > 0 { return true }
            place = tree.parents[place]
        }
        return false
    }

    /// Reports an object that was restored although a finder returned a different object (R11).
    mutating func listDuplicate(_ place: Int, given finder: String) {
        report.list(
            UnrestoredObject(
                path: tree.writtenPath(of: place), code: .duplicatePath,
                detail: "\(finder) did not return the object that already exists at this path",
                remedy: "Make sure that \(finder) returns the existing object, or no object."),
            in: \.duplicates)
    }

    /// Retains a record that was not assigned, until its path is saved again or too many launches have failed.
    ///
    /// Launches are not counted for a record below another unclaimed record, because it is removed with that
    /// record.
    ///
    /// - Returns: `false` if the record is removed from the archive.
    @discardableResult
    private mutating func retainUnclaimed(_ place: Int) -> Bool {
        let header = tree.header(of: place)
        let isTop = tree.parents[place] < 0 || objects.parent(of: place) != nil
        guard let launches = isTop ? countLaunch(of: place) : earlierLaunches(of: place) else {
            records.expired.append(header.recordNumber)
            return false
        }
        records.unclaimed.insert(header, launches: launches)
        report.unclaimed += 1
        return true
    }

    /// Counts this launch as a failed launch of a record, and reports the record if it has reached the maximum.
    ///
    /// - Returns: The number of failed launches, or `nil` if the maximum is exceeded.
    private mutating func countLaunch(of place: Int) -> Int? {
        let launches = earlierLaunches(of: place) + (records.isLaunchCounted ? 1 : 0)
        guard launches >= SceneRecords.maximumLaunches else { return launches }
        let path = tree.writtenPath(of: place).cut(to: RestorationPath.maximumBytes)
        let isLast = launches == SceneRecords.maximumLaunches
        report.list(path, in: isLast ? \.expiring : \.expired)
        return isLast ? launches : nil
    }

    private func earlierLaunches(of place: Int) -> Int {
        launches[tree.numbers[place]] ?? 0
    }
}
