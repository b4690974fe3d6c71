/// What is told of a restoration (R15), and what becomes of records without a place (R16).
struct RestorationAccount {
    /// The report so far.
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

    /// An object is not restored because the delegate refused.
    mutating func refuse(_ place: Int) {
        if tree.parents[place] == RecordTree.root {
            records.expired.append(tree.numbers[place])
        }
        list(place, .refused(savedBy: savedVersion))
    }

    /// An object is not restored, and neither is what lies below it.
    ///
    /// - Parameter asWell: whether the same is told of what lies below it.
    mutating func drop(_ place: Int, _ obstacle: RestorationObstacle, asWell: Bool = false) {
        let isKept = keepUnclaimed(place)
        list(place, obstacle)
        for lower in tree.subtree(below: place) {
            list(lower, asWell ? obstacle : .parentDropped(tree.writtenPath(of: place)))
            if isKept { keepUnclaimed(lower) }
        }
    }

    /// An object is gone on purpose, with what lies below it: the records leave the archive (R3).
    mutating func remove(_ place: Int) {
        records.expired.append(tree.numbers[place])
        for gone in [place] + tree.subtree(below: place) {
            report.list(
                tree.writtenPath(of: gone).cut(to: RestorationPath.maximumBytes), in: \.gone)
        }
    }

    /// An object was made and has decoded, and is not in the tree; neither is what lies below it.
    ///
    /// - Parameter restored: whether the object of a record counts as restored so far.
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

    /// Tells of an object that was not restored.
    mutating func list(_ place: Int, _ obstacle: RestorationObstacle) {
        let isRepeated = isRepeated(place)
        report.list(
            UnrestoredObject(tree.writtenPath(of: place), obstacle, isRepeated: isRepeated),
            in: \.unrestored)
    }

    /// Whether an earlier launch could not place the record, or one above it, either.
    private func isRepeated(_ place: Int) -> Bool {
        var place = place
        while place >= 0 {
            if launches[tree.numbers[place]] ?? 0 > 0 { return true }
            place = tree.parents[place]
        }
        return false
    }

    /// Tells of an object that was restored although a finder gave another (R11).
    mutating func listDuplicate(_ place: Int, given finder: String) {
        report.list(
            UnrestoredObject(
                path: tree.writtenPath(of: place), code: .duplicatePath,
                detail: "\(finder) returned another object than the existing one",
                remedy: "Let \(finder) return the object that exists, or nothing."),
            in: \.duplicates)
    }

    /// A record that could not be placed stays in the archive until its path is saved anew, or too
    /// many launches could not place it. One below another is not counted: it goes with that.
    ///
    /// - Returns: false if the record leaves the archive.
    @discardableResult
    private mutating func keepUnclaimed(_ place: Int) -> Bool {
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

    /// Counts this launch among those that could not place a record, and tells if it was the last
    /// one that it was offered to, or one more.
    ///
    /// - Returns: how many there were; nil if these are too many.
    private mutating func countLaunch(of place: Int) -> Int? {
        let launches = earlierLaunches(of: place) + (records.isLaunchCounted ? 1 : 0)
        guard launches >= SceneRecords.mostLaunches else { return launches }
        let path = tree.writtenPath(of: place).cut(to: RestorationPath.maximumBytes)
        let isLast = launches == SceneRecords.mostLaunches
        report.list(path, in: isLast ? \.expiring : \.expired)
        return isLast ? launches : nil
    }

    private func earlierLaunches(of place: Int) -> Int {
        launches[tree.numbers[place]] ?? 0
    }
}
