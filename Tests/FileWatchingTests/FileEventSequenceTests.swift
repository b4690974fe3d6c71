import Glibc
import SystemPackage
import Testing

@testable import FileWatching

/// Sequence of events, and the reasons for which it ends.
@Suite struct FileEventSequenceTests {
    @Test func `changes before an event is consumed are merged into it`() async throws {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            let target = FileTarget.file(scratch.path("file"))
            let events = try watcher.watch([target])
            // This sequence gets an event after the other sequence gets the event for the same change.
            let watch = try Watch(scratch, [target], with: watcher)
            for number in 1...1000 {
                try scratch.makeFile("new")
                try scratch.rename("new", to: "file")
                if number % 100 == 0 { _ = try await watch.reportedEvents {} }
            }
            try await watch.expect(.removed) { try scratch.remove("file") }
            events.end()
            var reportedEvents: [FileEvent] = []
            for await event in events { reportedEvents.append(event) }
            #expect(reportedEvents == [FileEvent(target, [.replaced, .removed])])
        }
    }

    @Test func `a merged event contains the latest failure state of its target`() {
        let (_, continuation) = AsyncStream.makeStream(of: Void.self)
        let mailbox = EventMailbox(continuation: continuation)
        let target = FileTarget.file("/a")
        let failure = FileWatchError(.watch, "/", .permissionDenied)
        mailbox.add(FileEvent(target, .replaced, failure: failure))
        mailbox.add(FileEvent(target, .lost))
        #expect(mailbox.popEvent() == FileEvent(target, [.replaced, .lost]))
        mailbox.add(FileEvent(target, .written))
        mailbox.add(FileEvent(target, [], failure: failure))
        #expect(mailbox.popEvent() == FileEvent(target, .written, failure: failure))
        #expect(mailbox.popEvent() == nil)
    }

    @Test func `unused kernel watches are removed`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir d; touch d/a e")
            let inotify = try Inotify()
            var table = WatchTable(inotify)
            let (_, continuation) = AsyncStream.makeStream(of: Void.self)
            let mailboxes = [1, 2].map { _ in EventMailbox(continuation: continuation) }
            for (name, mailbox) in zip(["e", "d/a"], mailboxes) {
                let target = FileTarget.file(scratch.path(name))
                _ = try table.add(target, absoluteTarget: target, for: mailbox)
            }
            #expect(try inotify.watchCount == table.watchCount)
            table.removeTargets(of: mailboxes[1])
            #expect(try inotify.watchCount == table.watchCount)
            table.removeTargets(of: mailboxes[0])
            #expect(try inotify.watchCount == 0)
            // After lost events, only targets that are still watched are checked again.
            table.markAllForCheck(.lost)
            #expect(table.deliverChanges().isEmpty)
            #expect(try inotify.watchCount == 0)
            #expect(mailboxes.allSatisfy { $0.popEvent() == nil })
        }
    }

    @Test func `the last of a thousand replacements is reported`() async throws {
        try await Scratch.with { scratch in
            let watch = try Watch(scratch, file: "file")
            async let eventCount = watch.countEvents(untilLength: 1000)
            for number in 1...1000 {
                try scratch.makeFile("new")
                try Scratch.check(truncate(scratch.path("new").string, number))
                try scratch.rename("new", to: "file")
            }
            #expect(try await eventCount <= 1000)
        }
    }

    @Test func `two sequences can watch the same target, and both receive its events`() async throws
    {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            let watches = try [1, 2].map { _ in
                try Watch(scratch, [.file(scratch.path("file"))], with: watcher)
            }
            try scratch.makeFile("file")
            for watch in watches { try await watch.await(.created) }
            try await watches[0].expect(.removed) { try scratch.remove("file") }
            watches[0].events.end()
            try await watches[1].await(.removed)
            try await watches[1].expect(.created) { try scratch.makeFile("file") }
        }
    }

    @Test func `a sequence that ended uses no watches, and other sequences keep theirs`()
        async throws
    {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            let watch = try Watch(scratch, file: "a", with: watcher)
            let count = try watcher.watchCount
            try scratch.run("mkdir d; touch d/x; ln -s ../a d/b")
            let other = try watcher.watch([
                .file(scratch.path("d/x")), .directory(scratch.path("d"), suffix: ""),
            ])
            #expect(try watcher.watchCount > count)
            other.end()
            other.end()
            var iterator = other.makeAsyncIterator()
            #expect(await iterator.next() == nil)
            #expect(try watcher.watchCount == count)
            try await watch.expect(.created) { try scratch.makeFile("a") }
        }
    }

    @Test func `a released sequence uses no watches`() async throws {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            _ = try watcher.watch([.file(scratch.path("a"))])
            #expect(try watcher.watchCount == 0)
        }
    }

    @Test func `cancelling a task ends its sequence and removes its watches`() async throws {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            let events = try watcher.watch([.file(scratch.path("a"))])
            let task = Task { for await _ in events {} }
            task.cancel()
            await task.value
            #expect(try watcher.watchCount == 0)
        }
    }

    @Test func `closing a watcher ends its sequences after their pending events`() async throws {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            let target = FileTarget.file(scratch.path("file"))
            let events = try watcher.watch([target])
            let watch = try Watch(scratch, [target], with: watcher)
            try await watch.expect(.created) { try scratch.makeFile("file") }
            watcher.close()
            watcher.close()
            var reportedEvents: [FileEvent] = []
            for await event in events { reportedEvents.append(event) }
            #expect(reportedEvents == [FileEvent(target, .created)])
            #expect(throws: FileWatchError(.watch, nil, .badFileDescriptor)) {
                try watcher.watch([target])
            }
        }
    }

    @Test func `a target specified twice is reported once`() async throws {
        try await Scratch.with { scratch in
            let target = FileTarget.file(scratch.path("file"))
            let watcher = try FileWatcher()
            let events = try watcher.watch([target, target])
            let watch = try Watch(scratch, [target], with: watcher)
            try await watch.expect(.created) { try scratch.makeFile("file") }
            events.end()
            var count = 0
            for await _ in events { count += 1 }
            #expect(count == 1)
        }
    }

    @Test func `a queue overflow is reported for every target, and watching continues`()
        async throws
    {
        // Thousands of files can be created quickly in memory.
        try await Scratch.with(in: "/dev/shm") { scratch in
            let watcher = try FileWatcher()
            let targets = ["a", "b", "c/d"].map { FileTarget.file(scratch.path($0)) }
            let watch = try Watch(scratch, targets, with: watcher)
            let reportedEvents = try await watch.reportedEvents {
                try watcher.withReadingPaused {
                    let path = scratch.path("a").string
                    // More events than fit into the queue (inotify(7)).
                    for _ in 1...10_000 {
                        mknod(path, S_IFREG | 0o600, 0)
                        unlink(path)
                    }
                    mkdir(scratch.path("c").string, 0o700)
                    mknod(scratch.path("c/d").string, S_IFREG | 0o600, 0)
                }
            }
            #expect(reportedEvents[targets[0]]?.changes == [.created, .removed, .lost])
            #expect(reportedEvents[targets[1]]?.changes == .lost)
            #expect(reportedEvents[targets[2]]?.changes == [.created, .lost])
            let after = try await watch.reportedEvents {
                for name in ["a", "b"] { try scratch.makeFile(name) }
            }
            #expect(after.mapValues(\.changes) == [targets[0]: .created, targets[1]: .created])
        }
    }

    @Test func `closing a watcher ends all its sequences`() async throws {
        try await Scratch.with { scratch in
            let watcher = try FileWatcher()
            let all = try (1...5).map { try watcher.watch([.file(scratch.path("\($0)"))]) }
            watcher.close()
            for events in all { for await _ in events {} }
        }
    }
}

extension Inotify {
    /// Number of watches in the kernel (proc_pid_fdinfo(5)).
    fileprivate var watchCount: Int {
        get throws {
            let file = try FileDescriptor.open("/proc/self/fdinfo/\(descriptorNumber)", .readOnly)
            return try file.closeAfter {
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(
                    separator: "\n")
                return lines.count { $0.hasPrefix("inotify wd:") }
            }
        }
    }
}

extension Watch {
    /// Counts events until the target has the given length after an event.
    fileprivate func countEvents(untilLength length: Int) async throws -> Int {
        var count = 0
        for await event in events {
            count += 1
            var status = stat()
            stat(event.target.path.string, &status)
            if status.st_size == length { return count }
        }
        throw Ended()
    }
}
