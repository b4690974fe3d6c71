import Logging
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ApplicationDamageTests {
    @Test func `L5: a damaged archive is quarantined, not overwritten, and said in status`()
        async throws
    {
        try await withScratchFolder { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            try scratch.removeHistory()
            var bytes = try #require(scratch.archiveBytes())
            // No record is intact.
            for place in 80..<bytes.count { bytes[place] ^= 1 }
            try ScratchFolder.write(bytes, to: scratch.archive)

            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted in
                let status = await hosted.application.status()
                #expect(status.phase == .running)
                let told = try #require(status.lastError)
                #expect(told.contains("the launch is pristine"))
                #expect(told.contains("/quarantine/"))
                let errors = hosted.log.entries.filter { $0.level == .error }
                #expect(errors.map(\.message) == [told])
                #expect(try await hosted.text() == "")
                #expect(try await hosted.write("new") == .written)
            }
            #expect(notes.record.launches == [.pristine])
            #expect(try quarantined(scratch) == [bytes])
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "new")
        }
    }

    @Test func `L5: without an older state what is intact is salvaged, and the rest is reported`()
        async throws
    {
        var wish = Notes.Wishes()
        wish.registersExtra = true
        try await withScratchFolder { scratch in
            try await withNotes(Notes(wish), in: scratch) { try await $0.write("precious") }
            // A generation is a whole file, which holds one pass.
            var bytes = try #require(try scratch.madeGenerations().last?.bytes)
            try scratch.removeHistory()
            let text = try #require(bytes.firstRange(of: Array("precious".utf8)))
            bytes[text.lowerBound] ^= 1
            try ScratchFolder.write(bytes, to: scratch.archive)

            let notes = Notes(wish)
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

    @Test func `L5: the passes before the damage are used, and the launch tells recover`()
        async throws
    {
        try await withScratchFolder { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted in
                try await hosted.write("first", in: "main")
                try await hosted.write("second", in: "other")
            }
            try scratch.removeHistory()
            var bytes = try #require(scratch.archiveBytes())
            let range = try #require(bytes.firstRange(of: Array("second".utf8)))
            bytes[range.lowerBound] ^= 1
            try ScratchFolder.write(bytes, to: scratch.archive)

            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) { hosted in
                let told = try #require(await hosted.application.status().lastError)
                #expect(told.contains("the part before the damage is used"))
                #expect(try await hosted.text(in: "main") == "first")
                #expect(try await hosted.text(in: "other") == "")
            }
            #expect(notes.record.launches == [.recover, .recover])
            #expect(try quarantined(scratch) == [bytes])
        }
    }

    @Test
    func `L5: an archive of a newer format is not touched, and launch works once it is mended`()
        async throws
    {
        try await withScratchFolder { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            try scratch.removeHistory()
            let good = try #require(scratch.archiveBytes())
            let newer = ArchiveBytes(good).newer()
            try ScratchFolder.write(newer, to: scratch.archive)
            let file = try scratch.archiveFile()

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
                #expect(try scratch.archiveFile() == file)
                #expect(
                    try ScratchFolder.names(in: scratch.applicationFolder) == ["data.archive"])

                try ScratchFolder.write(good, to: scratch.archive)
                try await hosted.application.launch()
                #expect(try await hosted.text() == "precious")
            }
            #expect(notes.record.launches == [.restore])
        }
    }

    private func quarantined(_ scratch: ScratchFolder) throws -> [[UInt8]] {
        let folder = "\(scratch.applicationFolder)/quarantine"
        return try ScratchFolder.names(in: folder).filter { !$0.hasSuffix(".reason") }
            .map { try ScratchFolder.bytes(of: "\(folder)/\($0)") }
    }
}
