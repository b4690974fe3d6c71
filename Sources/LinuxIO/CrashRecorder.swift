import CCrashStamp

/// A recorder that appends a line to a stamp file when this process crashes.
///
/// While this object exists, a fatal signal raised by the kernel or by this process appends one ``Line`` to a file. A
/// call to `exit` by a thread that is in a ``Context`` also appends a line.
///
/// Signal handlers that were installed earlier, for example by Swift's backtrace support or a crash reporter, continue
/// to work. A handler that is installed later replaces the recorder's handler, and no line is written for its signal.
package final class CrashRecorder: Sendable {
    private let file: File
    private let recorderNumber: CInt

    /// Creates a crash recorder, and installs the process's signal handlers if it is the first recorder.
    ///
    /// - Parameters:
    ///   - file: A file that is open for appending.
    ///   - processID: The identifier of this process, which begins each line. It has at most 63 bytes and no
    ///     control characters.
    /// - Returns: `nil` if the process already has 1,024 crash recorders.
    package init?(_ file: File, processID: String) {
        let recorderNumber = crash_stamp_register(file.descriptor.rawValue, processID)
        guard recorderNumber >= 0 else { return nil }
        self.file = file
        self.recorderNumber = recorderNumber
        crash_stamp_install()
    }

    deinit { crash_stamp_unregister(recorderNumber) }

    /// Sets whether a call to `exit` by a thread that is not in a context also appends a line.
    package func setRecordsExits(_ recordsExits: Bool) {
        crash_stamp_mark_exits(recorderNumber, recordsExits)
    }

    /// Creates a context in which threads can run code.
    ///
    /// Lines that are appended for these threads end with the subject.
    ///
    /// - Parameter subject: Text of at most 639 bytes, without newlines.
    /// - Returns: `nil` if there is not enough memory.
    package func makeContext(subject: String) -> Context? {
        crash_stamp_make_place(recorderNumber, subject).map { Context($0, of: self) }
    }

    /// Removes the line for a signal, because another signal handler has recovered from the signal.
    fileprivate func removeLine() {
        // If this fails, the next process assumes that this process crashed, which does less harm than an error here.
        do { try file.truncate(to: 0) } catch {}
    }

    /// Description of a thread's activity while it runs the closure passed to ``run(at:_:)``.
    package final class Context {
        private let pointer: OpaquePointer
        private let recorder: CrashRecorder

        fileprivate init(_ pointer: OpaquePointer, of recorder: CrashRecorder) {
            self.pointer = pointer
            self.recorder = recorder
        }

        deinit { crash_stamp_free_place(pointer) }

        /// Sets the current stage, a text of at most 31 bytes without control characters.
        package func setStage(_ stage: String) { crash_stamp_set_stage(pointer, stage) }

        /// Sets the step that is running on an object. The next step or stage replaces it.
        ///
        /// - Parameters:
        ///   - step: One word.
        ///   - name: The identifier of the object, which is the last component of its path.
        ///   - parentPathLength: The length in bytes of the parent's path, which must already have been set, or 0 if
        ///     the object has no parent.
        package func setStep(_ step: StaticString, onObject name: String, parentPathLength: Int) {
            var name = name
            name.withUTF8 { name in
                crash_stamp_set_object(
                    pointer, UnsafeRawPointer(step.utf8Start).assumingMemoryBound(to: CChar.self),
                    parentPathLength,
                    UnsafeRawPointer(name.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    name.count)
            }
        }

        /// Runs a closure on the current thread in this context.
        ///
        /// - Parameter stage: The first stage (see ``setStage(_:)``).
        package func run<Result, Failure>(
            at stage: String, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            setStage(stage)
            let previousContext = crash_stamp_enter(pointer)
            defer {
                crash_stamp_enter(previousContext)
                if crash_stamp_consume_survival() { recorder.removeLine() }
            }
            return try body()
        }
    }
}
