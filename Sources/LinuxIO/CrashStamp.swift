import CCrashStamp

/// A record of the crash of this process and the activity of the crashed thread.
///
/// While this object exists, a fatal signal that the kernel or this process raised appends one ``Line`` to a
/// file. A call of `exit` by a thread that is in a ``Place`` also appends a line.
///
/// Signal handlers that were installed earlier continue to work, such as the handlers of Swift's backtraces, a debugger
/// or a crash reporter. Handlers that are installed later replace these handlers, and no line is written.
package final class CrashStamp: Sendable {
    private let file: File
    private let number: CInt

    /// Creates a crash stamp, and installs the process's signal handlers if it is the first one.
    ///
    /// - Parameters:
    ///   - file: A file that is open for appending.
    ///   - owner: The start of each line, which has at most 63 bytes and no control characters.
    /// - Returns: `nil` if the process already has 1,024 crash stamps.
    package init?(_ file: File, owner: String) {
        let number = crash_stamp_register(file.descriptor.rawValue, owner)
        guard number >= 0 else { return nil }
        self.file = file
        self.number = number
        crash_stamp_install()
    }

    deinit { crash_stamp_unregister(number) }

    /// Sets whether a call of `exit` by a thread that is not in a place also appends a line.
    package func markExits(_ marked: Bool) { crash_stamp_mark_exits(number, marked) }

    /// Creates a place for threads to run in.
    ///
    /// Lines that these threads append end with the subject.
    ///
    /// - Parameter subject: A text of at most 639 bytes, without newlines.
    /// - Returns: `nil` if there is not enough memory.
    package func place(_ subject: String) -> Place? {
        crash_stamp_make_place(number, subject).map { Place($0, of: self) }
    }

    /// Removes the line of a thread that survived, because another signal handler fixed the cause of the
    /// signal.
    fileprivate func retract() {
        // If this fails, the process looks as if it had crashed, which is the lesser evil.
        do { try file.truncate(to: 0) } catch {}
    }

    /// Description of the activity of a thread while the thread runs the closure of ``run(at:_:)``.
    package final class Place {
        private let place: OpaquePointer
        private let stamp: CrashStamp

        fileprivate init(_ place: OpaquePointer, of stamp: CrashStamp) {
            self.place = place
            self.stamp = stamp
        }

        deinit { crash_stamp_free_place(place) }

        /// Sets the current stage, which has at most 31 bytes and no control characters.
        package func reach(_ stage: String) { crash_stamp_set_stage(place, stage) }

        /// Sets the step that is running on an object, until the next step or the next stage.
        ///
        /// - Parameters:
        ///   - step: One word.
        ///   - name: The identifier of the object, which is the last component of its path.
        ///   - above: The length in bytes of the path of the object's parent, which was set before, or 0 if the object
        ///     has no parent.
        package func reach(_ step: StaticString, _ name: String, above: Int) {
            var name = name
            name.withUTF8 { name in
                crash_stamp_set_object(
                    place, UnsafeRawPointer(step.utf8Start).assumingMemoryBound(to: CChar.self),
                    above, UnsafeRawPointer(name.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    name.count)
            }
        }

        /// Runs a closure while this thread is in this place.
        ///
        /// - Parameter stage: The first stage, see ``reach(_:)``.
        package func run<Result, Failure>(
            at stage: String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            reach(stage)
            let before = crash_stamp_enter(place)
            defer {
                crash_stamp_enter(before)
                if crash_stamp_consume_survival() { stamp.retract() }
            }
            return try body()
        }
    }
}
