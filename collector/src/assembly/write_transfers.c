/* Writes transfers with requests as OTF2's RMA and I/O events, and the definitions of their windows and files. */
#include "assembly/archive.h"

enum { IO_PARADIGM = 0 };

static OTF2_ErrorCode write_rma(OTF2_EvtWriter *writer, uint64_t ns, uint32_t window,
                                const struct spool_record *record) {
    uint32_t target = (uint32_t)(record->a >> 32);
    uint64_t id = archive_request(record->c, false), bytes = record->b;
    if (record->kind == SPOOL_TRANSFER_COMPLETE)
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, ns, window, id);
    switch ((uint32_t)record->a) {
    case SPOOL_PUT:
        return OTF2_EvtWriter_RmaPut(writer, NULL, ns, window, target, bytes, id);
    case SPOOL_GET:
        return OTF2_EvtWriter_RmaGet(writer, NULL, ns, window, target, bytes, id);
    case SPOOL_ACCUMULATE:
        return OTF2_EvtWriter_RmaAtomic(writer, NULL, ns, window, target, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, bytes, 0,
                                        id);
    default:
        return OTF2_EvtWriter_RmaAtomic(writer, NULL, ns, window, target, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                                        bytes, bytes, id);
    }
}

static OTF2_ErrorCode write_io(OTF2_EvtWriter *writer, uint64_t ns, uint32_t file, const struct spool_record *record) {
    uint32_t kind = (uint32_t)record->a;
    uint64_t id = archive_request(record->c, false);
    if (record->kind == SPOOL_TRANSFER_COMPLETE)
        return OTF2_EvtWriter_IoOperationComplete(writer, NULL, ns, file, record->b, id);
    bool writes = kind == SPOOL_WRITE || kind == SPOOL_WRITE_ALL;
    bool collective = kind == SPOOL_READ_ALL || kind == SPOOL_WRITE_ALL;
    OTF2_IoOperationFlag flags =
        OTF2_IO_OPERATION_FLAG_NON_BLOCKING | (collective ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : 0);
    OTF2_ErrorCode code = OTF2_EvtWriter_IoOperationBegin(
        writer, NULL, ns, file, writes ? OTF2_IO_OPERATION_MODE_WRITE : OTF2_IO_OPERATION_MODE_READ, flags, record->b,
        id);
    return code == OTF2_SUCCESS ? OTF2_EvtWriter_IoOperationIssued(writer, NULL, ns, file, id) : code;
}

OTF2_ErrorCode write_transfer(struct run *run, const struct process *process, const struct spool_record *record,
                              OTF2_EvtWriter *writer, uint64_t ns) {
    bool in_file = is_of_file(record);
    uint32_t comm = comm_of_transfer(run, process, record);
    uint32_t object = comm == NO_ID ? NO_ID : in_file ? run->comms[comm].file : run->comms[comm].window;
    if (object == NO_ID) {
        run->records_without_comm++;
        return OTF2_SUCCESS;
    }
    return in_file ? write_io(writer, ns, object, record) : write_rma(writer, ns, object, record);
}

/* No event opens the file, so for other readers it was open from the beginning on. */
static bool define_file(OTF2_GlobalDefWriter *writer, uint32_t name, uint32_t comm, uint32_t file) {
    return OTF2_GlobalDefWriter_WriteIoRegularFile(writer, file, name, 0) == OTF2_SUCCESS &&
           OTF2_GlobalDefWriter_WriteIoHandle(writer, file, name, file, IO_PARADIGM, OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                                              comm, OTF2_UNDEFINED_IO_HANDLE) == OTF2_SUCCESS &&
           OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(writer, file, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                                             OTF2_IO_STATUS_FLAG_NONE) == OTF2_SUCCESS;
}

bool write_transfer_definitions(const struct run *run, OTF2_GlobalDefWriter *writer, struct strings *strings) {
    bool ok = true;
    for (uint32_t i = 0; i < run->comm_count && ok; i++) {
        const struct comm *comm = &run->comms[i];
        uint32_t name = string_id(strings, comm->name ? comm->name : "");
        if (comm->window != NO_ID)
            ok =
                OTF2_GlobalDefWriter_WriteRmaWin(writer, comm->window, name, i, OTF2_RMA_WIN_FLAG_NONE) == OTF2_SUCCESS;
        if (ok && comm->file == 0) {
            uint32_t paradigm = string_id(strings, "MPI-IO");
            ok = OTF2_GlobalDefWriter_WriteIoParadigm(writer, IO_PARADIGM, paradigm, paradigm,
                                                      OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0,
                                                      NULL, NULL, NULL) == OTF2_SUCCESS;
        }
        if (ok && comm->file != NO_ID)
            ok = define_file(writer, name, i, comm->file);
    }
    return ok;
}
