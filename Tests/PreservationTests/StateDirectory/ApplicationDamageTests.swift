import Logging
import StateRestoration
import TestSupport
import Testing

@testable import Preservation
@testable import SavedState

@Suite struct ApplicationDamageTests {
    @Test func `L5: a damaged archive is quarantined, not overwritten, and reported by status`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            try scratch.removeHistory()
            var bytes = try #require(scratch.archiveBytes())
            // Damages every record.
            for place in 80..<bytes.count { bytes[place] ^= 1 }
            try ScratchDirectory.write(bytes, to: scratch.archive)

            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted in
                let status = await hosted.application.status()
                #expect(status.phase == .running)
                let lastError = try #require(status.lastError)
                #expect(lastError.contains("the launch is pristine"))
                #expect(lastError.contains("/quarantine/"))
                let errors = hosted.log.entries.filter { $0.level == .error }
                #expect(errors.map(\.message) == [lastError])
                #expect(try await hosted.text() == "")
                #expect(try await hosted.write("new") == .written)
            }
            #expect(notes.record.launches == [.pristine])
            #expect(try quarantined(scratch) == [bytes])
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "new")
        }
    }

    @Test
    func `L5: without earlier state, intact objects are salvaged and damaged objects are reported`()
        async throws
    {
        var behavior = Notes.Behavior()
        behavior.registersExtra = true
        try await withScratchDirectory { scratch in
            try await withNotes(Notes(behavior), in: scratch) { try await $0.write("precious") }
            // A generation is a complete file that consists of a single pass.
            var bytes = try #require(try scratch.allGenerations().last?.bytes)
            try scratch.removeHistory()
            let text = try #require(bytes.firstRange(of: Array("precious".utf8)))
            bytes[text.lowerBound] ^= 1
            try ScratchDirectory.write(bytes, to: scratch.archive)

            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { hosted in
                let report = try await hosted.application.report()
                #expect(report.reason == .recover)
                #expect(report.unrestored.map(\.path) == ["note"])
                #expect(report.unrestored.map(\.code) == [.damaged])
                #expect(report.recorded == 2)
                #expect(report.restored == 1)
                #expect(try await hosted.text() == "")
                #expect(try quarantined(scratch) == [bytes])

                let name = "000001-data.archive"
                let error = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.putBack(name)
                }
                #expect("\(try #require(error))".contains("--salvage"))
                let replaced = try await hosted.application.putBack(name, salvaging: true)
                #expect(replaced.scenes == ["main"])
                #expect(replaced.shortfall?.contains("not intact: note") == true)
            }
        }
    }

    @Test func `L5: passes before the damage are restored, and the launch reason is recover`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted in
                try await hosted.write("first", in: "main")
                try await hosted.write("second", in: "other")
            }
            try scratch.removeHistory()
            var bytes = try #require(scratch.archiveBytes())
            let range = try #require(bytes.firstRange(of: Array("second".utf8)))
            bytes[range.lowerBound] ^= 1
            try ScratchDirectory.write(bytes, to: scratch.archive)

            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) { hosted in
                let lastError = try #require(await hosted.application.status().lastError)
                #expect(lastError.contains("the part before the damage is used"))
                #expect(try await hosted.text(in: "main") == "first")
                #expect(try await hosted.text(in: "other") == "")
            }
            #expect(notes.record.launches == [.recover, .recover])
            #expect(try quarantined(scratch) == [bytes])
        }
    }

    @Test
    func `L5: an archive with a newer format prevents the launch and is not changed`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            try scratch.removeHistory()
            let good = try #require(scratch.archiveBytes())
            let newer = ArchiveBytes(good).newer()
            try ScratchDirectory.write(newer, to: scratch.archive)
            let file = try scratch.archiveInodeAndSize()

            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted in
                guard case .failed(let reason) = await hosted.application.status().phase else {
                    Issue.record("launched on an archive of a newer format")
                    return
                }
                #expect(reason.contains("format version 2 is newer"))
                await hosted.passInterval()
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.launch()
                }
                #expect(scratch.archiveBytes() == newer)
                #expect(try scratch.archiveInodeAndSize() == file)
                #expect(
                    try ScratchDirectory.names(in: scratch.applicationDirectory) == ["data.archive"]
                )

                try ScratchDirectory.write(good, to: scratch.archive)
                try await hosted.application.launch()
                #expect(try await hosted.text() == "precious")
            }
            #expect(notes.record.launches == [.restore])
        }
    }

    private func quarantined(_ scratch: ScratchDirectory) throws -> [[UInt8]] {
        let directory = "\(scratch.applicationDirectory)/quarantine"
        return try ScratchDirectory.names(in: directory).filter { !$0.hasSuffix(".reason") }
            .map { try ScratchDirectory.bytes(of: "\(directory)/\($0)") }
    }

    @Test(arguments: [false, true])
    func `L5: each loss is reported in its scene, and unknown losses are reported in every scene`(
        isComplete: Bool
    ) {
        var account = ArchiveSalvage.DamageReport()
        account.isComplete = isComplete
        account.lostObjects = [
            ArchiveSalvage.LostObject(scene: "other", path: ["a", "b"], reason: "first"),
            ArchiveSalvage.LostObject(scene: "other", path: [], reason: "second"),
            ArchiveSalvage.LostObject(scene: nil, path: nil, reason: "third"),
        ]
        var damage = Damage(
            reason: "a checksum is wrong", offset: 9, quarantinePath: "/quarantine/1",
            salvageReport: account)
        let unknown = UnrestoredObject.unknownPath
        let more = isComplete ? [] : [unknown]
        var losses = damage.losses(of: ["main", "other", "third"])
        #expect(losses.count == 3)
        #expect(losses["main"]?.damagedObjects.map(\.path) == [unknown] + more)
        #expect(
            losses["other"]?.damagedObjects.map(\.path)
                == ["a/b", "(the values of the scene itself)"] + more)
        #expect(losses["third"]?.damagedObjects.map(\.path) == more)
        for loss in losses.values {
            #expect(loss.lossDescription?.contains("at byte 9") == true)
            #expect(loss.lossDescription?.hasSuffix("in quarantine as /quarantine/1") == true)
            #expect(loss.earlierStateDescription == nil)
            #expect(loss.damagedObjects.allSatisfy { $0.code == .damaged && !$0.remedy.isEmpty })
        }
        damage.salvageSourcePath = "/history/2"
        losses = damage.losses(of: ["main"])
        #expect(
            losses["main"]?.earlierStateDescription?.contains("the state of /history/2") == true)
        damage.salvageReport = nil
        #expect(damage.losses(of: []).isEmpty)
        #expect(damage.losses(of: ["main"])["main"]?.damagedObjects == [])
    }

}
