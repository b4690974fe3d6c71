import Dispatch
import Foundation
import SavedState
import Synchronization

/// Measures one change among few and many objects, from the library's call to the return of write(2),
/// alone and while another thread compacts the archive.
struct ChangeMeasurement {
    let rounds: Int
    let folder: String

    func run() throws {
        let trees = try [Shape.thousand, .million].map(begin)
        // The first round warms up, and the trees take turns, so that none is measured cold.
        for round in 0...rounds {
            for tree in trees {
                for _ in 0..<1000 {
                    let time = try time(tree.keeper)
                    if round > 0 { tree.times.append(time) }
                }
            }
        }
        print("one change, from the call to the return of write(2); µs (median, 99 of 100 below)")
        for tree in trees {
            report("among \(tree.keeper.count) objects", tree.times)
            report("the same during compaction", try duringCompaction(tree.keeper))
            try tree.keeper.end()
        }
    }

    /// A tree that is saved as a whole, and the times of its changes.
    private final class Tree {
        let keeper: RepriseKeeper
        var times: [Double] = []

        init(_ keeper: RepriseKeeper) { self.keeper = keeper }
    }

    private func begin(_ shape: Shape) throws -> Tree {
        let folder = "\(folder)/\(shape.count)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let keeper = RepriseKeeper(shape, folder: folder)
        try keeper.begin()
        try keeper.saveAll()
        try keeper.expectChanges(durably: false)
        return Tree(keeper)
    }

    private func time(_ keeper: RepriseKeeper) throws -> Double {
        let start = ContinuousClock.now
        try keeper.saveChange()
        let time = (ContinuousClock.now - start).components
        return Double(time.seconds) * 1e6 + Double(time.attoseconds) / 1e12
    }

    /// Compacts again and again until there are enough changes.
    private func duringCompaction(_ keeper: RepriseKeeper) throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<Self.mostCompactions where times.count < Self.enoughChanges {
            var job = try beginCompaction(keeper)
            while let step = job {
                let run = CompactionRun(step)
                while !run.isOver { times.append(try time(keeper)) }
                job = keeper.archive?.endCompaction(step, run.result)
            }
            let incidents = keeper.archive?.takeIncidents() ?? []
            guard incidents.contains(where: { if case .compacted = $0 { true } else { false } })
            else { throw Failure("compaction") }
        }
        return times
    }

    private static let mostCompactions = 200
    private static let enoughChanges = 2000

    /// Lets the file grow until it is worth it.
    private func beginCompaction(_ keeper: RepriseKeeper) throws -> CompactionJob? {
        for _ in 0..<Self.mostCompactions {
            if let job = keeper.archive?.beginCompaction() { return job }
            try keeper.changeAll()
        }
        throw Failure("the growth of the archive")
    }

    private func report(_ name: String, _ times: [Double]) {
        let sorted = times.sorted()
        guard let last = sorted.indices.last else { return }
        print(
            name.padding(toLength: 44, withPad: " ", startingAt: 0)
                + [sorted[last / 2], sorted[last * 99 / 100]]
                .map { String(format: "%13.3f", $0) }.joined() + "   of \(sorted.count)")
    }
}

/// A step of a compaction on a thread of its own.
private final class CompactionRun: Sendable {
    private let over = Atomic(false)
    private let outcome = Mutex<CompactionResult?>(nil)

    init(_ job: CompactionJob) {
        DispatchQueue.global().async { [self] in
            let result = job.run()
            outcome.withLock { $0 = result }
            over.store(true, ordering: .releasing)
        }
    }

    /// Whether it has run.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// What it came to, once it has run.
    var result: CompactionResult {
        outcome.withLock { $0 } ?? .failed(.refused(reason: "it has not run"))
    }
}
