import Foundation
import Preservation
import StateRestoration

/// Benchmarks for how durations grow with the number of objects and scenes.
@LoopActor struct GrowthMeasures {
    let run: Run
    let results: Results

    // MARK: Objects

    func measureObjects() async throws {
        let shapes: [Shape] =
            [.thousand, .tenThousand, .hundredThousand] + (run.isQuick ? [] : [.million])
        let persisters = shapes.map {
            ReprisePersister($0, directory: "\(run.directory)/\($0.count)")
        }
        let counts = shapes.map(\.count)
        let times = Results()
        let full = counts.map { Measure("full pass of \($0)", .microseconds) }
        let restore = counts.map { Measure("restore of \($0)", .microseconds) }
        let change = counts.map {
            Measure("one change among \($0.grouped) objects, written", .microseconds)
        }
        for _ in 0..<3 {
            for (index, persister) in persisters.enumerated() {
                try await persister.begin()
                try await times.time(full[index]) { try await persister.saveAll() }
                try await persister.end()
                let start = ContinuousClock.now
                let time = try await persister.restore() - start
                times.add(time.microseconds, to: restore[index])
                _ = try await persister.endAndCountRestored()
            }
        }
        for persister in persisters {
            try await persister.begin()
            try await persister.saveAll()
        }
        // Alternate between the counts so that every count is warm when it is measured. The first
        // round is a warm-up.
        for round in 0...run.rounds {
            for (index, persister) in persisters.enumerated() {
                for _ in 0..<1000 {
                    try await (round == 0 ? Results() : results).time(change[index]) {
                        try await persister.saveChange()
                    }
                }
            }
        }
        for persister in persisters { try await persister.end() }
        addExponent("change", counts, "objects", change.map { results.figure($0) })
        addExponent("full pass", counts, "objects", full.map { times.figure($0) })
        addExponent("restore", counts, "objects", restore.map { times.figure($0) })
    }

    private func addExponent(
        _ name: String, _ counts: [Int], _ what: String, _ figures: [Double?]
    ) {
        let points = zip(counts, figures).compactMap { count, figure in
            figure.map { (x: Double(count), y: $0) }
        }
        guard points.count > 1, let first = counts.first, let last = points.last?.x else { return }
        results.add(
            fittedExponent(points),
            to: Measure(
                "\(name) time, \(first.grouped) to \(Int(last).grouped) \(what)",
                .exponent))
    }

    // MARK: Scenes

    func measureScenes() async throws {
        var counts = [1000, 10_000, 100_000, 1_000_000]
        let baseline = try ChildProcess.residentBytes()
        var start: [Double?] = []
        var change: [Double?] = []
        for (index, count) in counts.enumerated() {
            let directory = "\(run.directory)/\(count)-scenes"
            let names = (0..<count).map { RestorationIdentifier(stringLiteral: "scene\($0)") }
            func launch(_ configured: [RestorationIdentifier]) async throws -> RunningApplication {
                try await RunningApplication(in: directory, scenes: configured) {
                    ItemTree(Shape(widths: [10]), createsWholeTree: true)
                }
            }
            let first = ContinuousClock.now
            do {
                // The application locks the directory until the application is deallocated.
                let created = try await launch(names)
                results.add(
                    Double(try ChildProcess.residentBytes() - baseline) / Double(count),
                    to: Measure(
                        "memory per scene, \(count.grouped) launched scenes of 11 objects", .bytes))
                try await created.end()
            }
            let began = ContinuousClock.now
            let running = try await launch([names[0]])
            let time = ContinuousClock.now - began
            results.add(
                time.milliseconds,
                to: Measure(
                    "startup time, \(count.grouped) saved scenes of 11 objects", .milliseconds))
            start.append(time.milliseconds)
            let opening = Measure("opening one of \(count.grouped) saved scenes", .microseconds)
            for number in 1...100 {
                try await results.time(opening) {
                    _ = try await running.application.perform(on: "scene\(number * 7)") { _ in }
                }
            }
            try await running.application.waitUntilLaunched()
            let measure = Measure(
                "one change among \(count.grouped) scenes of 11 objects, written", .microseconds)
            for round in 0...(run.isQuick ? 100 : 1000) {
                try await (round == 0 ? Results() : results).time(measure) {
                    _ = try await running.application.perform(on: "scene\(count / 2)") {
                        ItemTree.of($0).changed?.change()
                    }
                }
            }
            change.append(results.figure(measure))
            try await running.end()
            let timeBudget = Duration.seconds(run.isQuick ? 10 : 30)
            guard index + 1 < counts.count, (ContinuousClock.now - first) * 10 > timeBudget else {
                continue
            }
            run.log("more than \(count) scenes are not measured, because it would take too long")
            counts.removeSubrange((index + 1)...)
            break
        }
        addExponent("startup", counts, "scenes", start)
        addExponent("change", counts, "scenes", change)
    }
}
