! Every wrapped MPI function from Fortran, one after the other on two ranks, by the interface that the compiler is told:
! -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.
!
! No call is in a branch or a loop, so each function must be recorded as often as this text calls it. The output shows
! whether special addresses, handles, logicals and texts arrived correctly.
#ifdef USE_MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
#define IERR
#define IERR_ALONE
#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#define IERR , ierr
#define IERR_ALONE ierr
#endif

program every_call
#if defined(USE_MPI_F08)
  use mpi_f08
  implicit none
#elif defined(USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: ierr, rank, ranks, peer, provided, i, index, done, length, color, indices(2)
  integer :: counts(2), places(2), one(2), places_in_bytes(2), buffer(64), coordinates(1)
  integer, asynchronous :: send(4), receive(8), block(4), other(4)
  logical :: flag, inter, periods(1), remaining(1), cancelled
  character(len=MPI_MAX_OBJECT_NAME) :: name
  integer(kind=MPI_ADDRESS_KIND) :: address(1), byte_places(2)
  HANDLE(MPI_Comm) :: world, comm, cart, graph
  HANDLE(MPI_Datatype) :: absolute, types(2)
  HANDLE(MPI_Group) :: group
  HANDLE(MPI_Request) :: request, requests(2)
  HANDLE(MPI_Message) :: message
  HANDLE(MPI_Op) :: last
  STATUS :: status
#ifdef USE_MPI_F08
  type(MPI_Status) :: statuses(2)
#else
  integer :: statuses(MPI_STATUS_SIZE, 2)
#endif
#ifndef USE_MPI_F08
  external :: take_last
#endif

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided IERR)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IERR)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks IERR)
  world = MPI_COMM_WORLD
  peer = 1 - rank
  counts = (/1, 2/)
  places = (/0, 1/)
  one = (/1, 1/)
  places_in_bytes = (/0, 4/)
  byte_places = (/0, 4/)
  types = (/MPI_INTEGER, MPI_INTEGER/)
  send = (/rank + 1, 10*(rank + 1), 100*(rank + 1), 1000*(rank + 1)/)

  ! collectives
  call MPI_Barrier(world IERR)
  block = 7*(rank + 1)
  call MPI_Bcast(block, 4, MPI_INTEGER, 1, world IERR)
  print '(i0,a,4i6)', rank, ' bcast', block
  receive = -1
  call MPI_Reduce(send, receive, 4, MPI_INTEGER, MPI_SUM, 0, world IERR)
  print '(i0,a,4i6)', rank, ' reduce', receive(1:4)
  call MPI_Allreduce(send, receive, 4, MPI_INTEGER, MPI_SUM, world IERR)
  print '(i0,a,4i6)', rank, ' allreduce', receive(1:4)
  block = send
  call MPI_Allreduce(MPI_IN_PLACE, block, 4, MPI_INTEGER, MPI_MAX, world IERR)
  print '(i0,a,4i6)', rank, ' in place', block
  block = rank
  call MPI_Get_address(block, address(1) IERR)
  call MPI_Type_create_hindexed(1, (/4/), address, MPI_INTEGER, absolute IERR)
  call MPI_Type_commit(absolute IERR)
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, 1, world IERR)
  print '(i0,a,4i6)', rank, ' bottom', block
  call MPI_Type_free(absolute IERR)
#ifndef USE_MPI_F08
  call MPI_Op_create(take_last, .false., last IERR)
  receive = 0
  call MPI_Allreduce(send, receive, 4, MPI_INTEGER, last, world IERR)
  print '(i0,a,4i6)', rank, ' own operation', receive(1:4)
  call MPI_Op_free(last IERR)
#endif
  call MPI_Gather(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, 0, world IERR)
  call MPI_Gatherv(send, counts(rank + 1), MPI_INTEGER, receive, counts, places, MPI_INTEGER, 0, world IERR)
  print '(i0,a,4i6)', rank, ' gatherv', receive(1:4)
  call MPI_Scatter(send, 2, MPI_INTEGER, block, 2, MPI_INTEGER, 1, world IERR)
  call MPI_Scatterv(send, counts, places, MPI_INTEGER, block, counts(rank + 1), MPI_INTEGER, 1, world IERR)
  print '(i0,a,4i6)', rank, ' scatterv', block(1:counts(rank + 1))
  call MPI_Allgather(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, world IERR)
  call MPI_Allgatherv(send, counts(rank + 1), MPI_INTEGER, receive, counts, places, MPI_INTEGER, world IERR)
  print '(i0,a,4i6)', rank, ' allgatherv', receive(1:4)
  call MPI_Alltoall(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, world IERR)
  print '(i0,a,4i6)', rank, ' alltoall', receive(1:4)
  call MPI_Alltoallv(send, one, places, MPI_INTEGER, receive, one, places, MPI_INTEGER, world IERR)
  call MPI_Alltoallw(send, one, places_in_bytes, types, receive, one, places_in_bytes, types, world IERR)
  print '(i0,a,4i6)', rank, ' alltoallw', receive(1:2)
  call MPI_Reduce_scatter(send, receive, counts, MPI_INTEGER, MPI_SUM, world IERR)
  call MPI_Reduce_scatter_block(send, receive, 2, MPI_INTEGER, MPI_SUM, world IERR)
  print '(i0,a,4i6)', rank, ' reduce_scatter_block', receive(1:2)
  call MPI_Scan(send, receive, 2, MPI_INTEGER, MPI_SUM, world IERR)
  print '(i0,a,4i6)', rank, ' scan', receive(1:2)
  receive = 0
  call MPI_Exscan(send, receive, 2, MPI_INTEGER, MPI_SUM, world IERR)

  ! communicators
  call MPI_Comm_dup(world, comm IERR)
  call MPI_Comm_set_name(comm, 'copied' IERR)
  call MPI_Comm_get_name(comm, name, length IERR)
  print '(i0,3a,i3)', rank, ' name ', name(1:length), ' of', length
  call MPI_Comm_free(comm IERR)
  call MPI_Comm_dup_with_info(world, MPI_INFO_NULL, comm IERR)
  call MPI_Comm_disconnect(comm IERR)
#ifndef WITHOUT_IDUP
  call MPI_Comm_idup(world, comm, request IERR)
  call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
  call MPI_Barrier(comm IERR)
  call MPI_Comm_free(comm IERR)
#endif
  color = rank
  call MPI_Comm_split(world, color, 0, comm IERR)
  call MPI_Barrier(comm IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Comm_group(world, group IERR)
  call MPI_Comm_create(world, group, comm IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Comm_create_group(world, group, 5, comm IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Group_free(group IERR)
  periods = .true.
  remaining = .true.
  call MPI_Cart_create(world, 1, (/2/), periods, .false., cart IERR)
  call MPI_Cart_sub(cart, remaining, comm IERR)
  periods = .false.
  call MPI_Cart_get(comm, 1, indices, periods, coordinates IERR)
  print '(i0,a,l2,i3)', rank, ' periodic', periods, coordinates
  call MPI_Comm_free(comm IERR)
  call MPI_Comm_free(cart IERR)
  call MPI_Graph_create(world, 2, (/1, 2/), (/1, 0/), .false., comm IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Dist_graph_create(world, 1, (/rank/), (/1/), (/peer/), MPI_UNWEIGHTED, MPI_INFO_NULL, .false., comm IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Dist_graph_create_adjacent(world, 1, (/peer/), MPI_UNWEIGHTED, 1, (/peer/), MPI_UNWEIGHTED, &
       MPI_INFO_NULL, .false., graph IERR)
  call MPI_Neighbor_allgather(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph IERR)
  print '(i0,a,4i6)', rank, ' neighbor', receive(1)
  call MPI_Neighbor_allgatherv(send, 1, MPI_INTEGER, receive, one, places, MPI_INTEGER, graph IERR)
  call MPI_Neighbor_alltoall(send, 1, MPI_INTEGER, receive, 1, MPI_INTEGER, graph IERR)
  call MPI_Neighbor_alltoallv(send, one, places, MPI_INTEGER, receive, one, places, MPI_INTEGER, graph IERR)
  call MPI_Neighbor_alltoallw(send, one, byte_places, types, receive, one, byte_places, types, graph IERR)
  print '(i0,a,4i6)', rank, ' neighbor w', receive(1)
  call MPI_Comm_free(graph IERR)
  call MPI_Comm_split(world, rank, 0, cart IERR)
  call MPI_Intercomm_create(cart, 0, world, peer, 9, comm IERR)
  call MPI_Comm_test_inter(comm, inter IERR)
  print '(i0,a,l2)', rank, ' inter', inter
  call MPI_Intercomm_merge(comm, rank == 0, graph IERR)
  call MPI_Comm_rank(graph, i IERR)
  print '(i0,a,i2)', rank, ' merged as', i
  call MPI_Comm_free(graph IERR)
  call MPI_Comm_free(comm IERR)
  call MPI_Comm_free(cart IERR)

  ! messages
  call MPI_Irecv(receive, 8, MPI_INTEGER, peer, 1, world, request IERR)
  call MPI_Send(send, 4, MPI_INTEGER, peer, 1, world IERR)
  call MPI_Wait(request, status IERR)
  print '(i0,a,2i3,4i6)', rank, ' wait', SOURCE_OF(status), TAG_OF(status), receive(1:4)
  call MPI_Buffer_attach(buffer, 256 IERR)
  call MPI_Bsend(send, 1, MPI_INTEGER, peer, 2, world IERR)
  call MPI_Recv(receive, 8, MPI_INTEGER, MPI_ANY_SOURCE, 2, world, MPI_STATUS_IGNORE IERR)
  call MPI_Ibsend(send, 1, MPI_INTEGER, peer, 2, world, request IERR)
  call MPI_Recv(receive, 8, MPI_INTEGER, peer, MPI_ANY_TAG, world, status IERR)
  print '(i0,a,2i3,4i6)', rank, ' recv', SOURCE_OF(status), TAG_OF(status), receive(1)
  call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
  call MPI_Irecv(receive, 8, MPI_INTEGER, peer, 3, world, requests(1) IERR)
  call MPI_Irecv(block, 4, MPI_INTEGER, peer, 4, world, requests(2) IERR)
  call MPI_Barrier(world IERR)
  call MPI_Ssend(send, 1, MPI_INTEGER, peer, 3, world IERR)
  call MPI_Rsend(send, 2, MPI_INTEGER, peer, 4, world IERR)
  call MPI_Waitall(2, requests, statuses IERR)
#ifdef USE_MPI_F08
  print '(i0,a,2i3)', rank, ' waitall', statuses(1)%MPI_TAG, statuses(2)%MPI_TAG
#else
  print '(i0,a,2i3)', rank, ' waitall', statuses(MPI_TAG, 1), statuses(MPI_TAG, 2)
#endif
  call MPI_Irecv(receive, 8, MPI_INTEGER, peer, 5, world, requests(1) IERR)
  call MPI_Barrier(world IERR)
  call MPI_Irsend(send, 1, MPI_INTEGER, peer, 5, world, requests(2) IERR)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
  call MPI_Irecv(receive, 8, MPI_INTEGER, peer, 6, world, requests(1) IERR)
  requests(2) = MPI_REQUEST_NULL
  call MPI_Issend(send, 1, MPI_INTEGER, peer, 6, world, request IERR)
  call MPI_Waitany(2, requests, index, status IERR)
  print '(i0,a,3i3)', rank, ' waitany', index, TAG_OF(status)
  call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
  call MPI_Isend(send, 1, MPI_INTEGER, peer, 7, world, request IERR)
  call MPI_Irecv(receive, 8, MPI_INTEGER, peer, 7, world, requests(2) IERR)
  call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE IERR)
  print '(i0,a,3i3)', rank, ' waitsome', done, indices(1)
  call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
  call MPI_Test(request, flag, MPI_STATUS_IGNORE IERR)
  print '(i0,a,l2)', rank, ' test', flag
  call MPI_Barrier(world IERR)  ! otherwise the row of failing tests would be one record
  call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE IERR)
  call MPI_Barrier(world IERR)
  call MPI_Testany(2, requests, index, flag, MPI_STATUS_IGNORE IERR)
  print '(i0,a,l2,l2)', rank, ' testany', flag, index == MPI_UNDEFINED
  call MPI_Barrier(world IERR)
  call MPI_Testsome(2, requests, done, indices, MPI_STATUSES_IGNORE IERR)
  call MPI_Barrier(world IERR)
  call MPI_Iprobe(peer, 8, world, flag, MPI_STATUS_IGNORE IERR)
  print '(i0,a,l2)', rank, ' iprobe', flag
  call MPI_Isend(send, 3, MPI_INTEGER, peer, 9, world, request IERR)
  call MPI_Probe(peer, 9, world, status IERR)
  call MPI_Mprobe(peer, 9, world, message, status IERR)
  call MPI_Get_count(status, MPI_INTEGER, length IERR)
  call MPI_Mrecv(receive, 8, MPI_INTEGER, message, MPI_STATUS_IGNORE IERR)
  print '(i0,a,i2,3i6)', rank, ' mrecv', length, receive(1:3)
  call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
  call MPI_Improbe(MPI_PROC_NULL, 9, world, flag, message, MPI_STATUS_IGNORE IERR)
  call MPI_Imrecv(receive, 8, MPI_INTEGER, message, request IERR)
  call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
  call MPI_Sendrecv(send, 2, MPI_INTEGER, peer, 10, receive, 8, MPI_INTEGER, peer, 10, world, status IERR)
  block = rank
  call MPI_Sendrecv_replace(block, 4, MPI_INTEGER, peer, 11, peer, 11, world, MPI_STATUS_IGNORE IERR)
  print '(i0,a,2i3,4i6)', rank, ' sendrecv', SOURCE_OF(status), TAG_OF(status), receive(1:2), block(1:2)
  call MPI_Recv_init(receive, 8, MPI_INTEGER, peer, 12, world, requests(1) IERR)
  call MPI_Send_init(send, 1, MPI_INTEGER, peer, 12, world, requests(2) IERR)
  call MPI_Startall(2, requests IERR)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
  call MPI_Start(requests(1) IERR)
  call MPI_Start(requests(2) IERR)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
  call MPI_Request_free(requests(2) IERR)
  call MPI_Bsend_init(send, 1, MPI_INTEGER, peer, 12, world, requests(2) IERR)
  call MPI_Request_free(requests(2) IERR)
  call MPI_Ssend_init(send, 1, MPI_INTEGER, peer, 12, world, requests(2) IERR)
  call MPI_Request_free(requests(2) IERR)
  call MPI_Rsend_init(send, 1, MPI_INTEGER, peer, 12, world, requests(2) IERR)
  call MPI_Request_free(requests(2) IERR)
  call MPI_Request_free(requests(1) IERR)
  call MPI_Irecv(other, 4, MPI_INTEGER, peer, 13, world, request IERR)
  call MPI_Cancel(request IERR)
  call MPI_Wait(request, status IERR)
  call MPI_Test_cancelled(status, cancelled IERR)
  print '(i0,a,l2)', rank, ' cancelled', cancelled
  call MPI_Request_get_status(requests(1), flag, status IERR)
  call MPI_Pcontrol(1)
  call MPI_Finalize(IERR_ALONE)
end program every_call

#ifndef USE_MPI_F08
! Not commutative: the higher rank's value counts.
subroutine take_last(lower, higher, length, datatype)
  implicit none
  integer :: length, datatype, lower(length), higher(length)
  if (.false.) higher = lower + datatype
end subroutine take_last
#endif
